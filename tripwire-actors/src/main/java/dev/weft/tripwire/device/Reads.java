package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.TargetLostException;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.driver.DeviceView;
import dev.weft.tripwire.driver.Driver;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.agrona.collections.Int2ObjectHashMap;

/** Reads of other hosts' memory that wait for their answers. All have the same timeout, so they expire in order. Hardware thread. */
final class Reads {
  /** Size of a request in bytes: the number of bytes to read, and the tag of the answer. */
  static final int REQUEST_LENGTH = 8;
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  /** One read. */
  static final class Read {
    final MappedAperture from;
    final long offset;
    final MemorySegment into;
    final Consumer<Status> done;
    final int tag;
    final long deadlineNs;
    int received;
    boolean ended;

    Read(MappedAperture from, long offset, MemorySegment into, Consumer<Status> done, int tag, long deadlineNs) {
      this.from = from;
      this.offset = offset;
      this.into = into;
      this.done = done;
      this.tag = tag;
      this.deadlineNs = deadlineNs;
    }
  }

  private final Int2ObjectHashMap<Read> byTag = new Int2ObjectHashMap<>();
  private final ArrayDeque<Read> byDeadline = new ArrayDeque<>();
  private final int readsMax;
  private int lastTag;

  Reads(int readsMax) {
    this.readsMax = readsMax;
  }

  Read begin(MappedAperture from, long offset, MemorySegment into, Consumer<Status> done, long deadlineNs) {
    if (byTag.size() >= readsMax) {
      throw new NicException(Status.EXHAUSTED, readsMax + " reads are outstanding already; raise weft.tripwire.reads-max");
    }
    do {
      lastTag = lastTag + 1 & Integer.MAX_VALUE;
    } while (byTag.containsKey(lastTag));
    Read read = new Read(from, offset, into, done, lastTag, deadlineNs);
    byTag.put(lastTag, read);
    byDeadline.add(read);
    return read;
  }

  static Payload request(Read read) {
    MemorySegment request = MemorySegment.ofArray(new byte[REQUEST_LENGTH]);
    request.set(INT, 0, (int) read.into.byteSize());
    request.set(INT, Integer.BYTES, read.tag);
    return Payload.of(request, 0, REQUEST_LENGTH);
  }

  Read find(int tag) {
    return byTag.get(tag);
  }

  /** A part of an answer has arrived. */
  void onData(Packet packet, DeviceView core) {
    int at = (int) packet.va();
    int length = packet.payload().length();
    Read read = find((int) (packet.va() >>> 32));
    if (read == null || read.from.lid != packet.srcLid() || at != read.received || length > read.into.byteSize() - at) {
      core.counters.packetsDropped++; // It came too late.
      return;
    }
    core.stream.begin();
    try {
      packet.payload().copyTo(read.into, at, core.counters.copies);
    } catch (TargetLostException gone) {
      core.stream.giveUp();
      end(read, Status.INVALID);
      return;
    } catch (IllegalStateException | PayloadLostException freed) {
      core.stream.giveUp();
      end(read, read.into.scope().isAlive() ? Status.REVOKED : Status.INVALID);
      return;
    }
    core.counters.bytesPlaced += length;
    read.received += length;
    long address = NetworkAddress.of(read.from.number(), read.offset + at);
    boolean last = read.received == read.into.byteSize();
    core.interruptIf(core.stream.end(Bank.REMOTE_READ, address, address + length, !last));
    if (last) {
      end(read, Status.OK);
    }
  }

  void end(Read read, Status status) {
    if (!read.ended) {
      read.ended = true;
      byTag.remove(read.tag);
      Driver.tell(() -> read.done.accept(status), "reader", read.from);
    }
  }

  /** Ends overdue reads; returns the next deadline, or {@code Long.MAX_VALUE}. */
  long expire(long nowNs) {
    while (!byDeadline.isEmpty() && (byDeadline.peek().ended || byDeadline.peek().deadlineNs - nowNs <= 0)) {
      end(byDeadline.poll(), Status.TIMED_OUT);
    }
    return byDeadline.isEmpty() ? Long.MAX_VALUE : byDeadline.peek().deadlineNs;
  }

  /** Ends the reads from a host, 0 for all hosts. */
  void failAll(int lid, Status status) {
    for (Read read : byDeadline.toArray(new Read[0])) {
      if (lid == 0 || read.from.lid == lid) {
        end(read, status);
      }
    }
  }

  int outstanding() {
    return byTag.size();
  }
}
