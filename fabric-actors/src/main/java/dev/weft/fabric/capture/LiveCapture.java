package dev.weft.fabric.capture;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.Clock;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.ControlledMessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * One capture of a fabric that runs: packets become blocks of a pcapng file in a bounded queue between the hardware thread and whoever
 * reads them. The hardware thread never waits: what does not fit is dropped and counted. Begun and ended by a {@link CaptureHub}.
 *
 * <p>A packet is shown where it leaves a node of this JVM, and one from elsewhere where it arrives; so each is there once.
 */
public final class LiveCapture {
  /** Room for the names of interfaces and whatever else comes first. */
  private static final int PREAMBLE_ROOM = 1024;
  private static final int MESSAGE = 1;
  private static final int LIDS = 1 << 16;

  private final OneToOneRingBuffer queue;
  private final PacketBlock block = new PacketBlock();
  private final Clock clock;
  private final long epochNs;
  private final boolean sentOnly;
  /** By LID, those of nodes of this JVM that have sent since the beginning. */
  private final boolean[] sendsHere = new boolean[LIDS];
  /** Written by the hardware thread only. */
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  /** Everything before this has been taken. */
  private long reachedNs;
  private volatile boolean finished;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();

  /**
   * For {@link CaptureHub#begin}.
   *
   * @param memory {@link #memoryBytes} of it, all zero
   */
  LiveCapture(ByteBuffer memory, Clock clock, long epochNs, boolean sentOnly) {
    queue = new OneToOneRingBuffer(new UnsafeBuffer(memory));
    this.clock = clock;
    this.epochNs = epochNs;
    this.sentOnly = sentOnly;
    reachedNs = epochNs + clock.nowNs();
  }

  /** Memory that a queue of so many bytes needs. */
  static int memoryBytes(int queueBytes) {
    return queueBytes + RingBufferDescriptor.TRAILER_LENGTH;
  }

  /** A packet leaves a node of this JVM. Hardware thread. */
  void onSent(Packet packet) {
    sendsHere[packet.srcLid() & LIDS - 1] = true;
    put(packet, PacketBlock.OUTBOUND);
  }

  /** A packet arrives at a node of this JVM. Hardware thread. */
  void onReceived(Packet packet) {
    if (!sentOnly && !sendsHere[packet.srcLid() & LIDS - 1]) {
      put(packet, PacketBlock.INBOUND);
    }
  }

  private void put(Packet packet, int direction) {
    if (!packet.payload().isReadable()) {
      return; // Nobody will ever see it.
    }
    int room = block.room(packet);
    int index = room > queue.maxMsgLength() ? 0 : queue.tryClaim(MESSAGE, room);
    if (index <= 0) {
      count(dropped);
      return;
    }
    try {
      block.put(queue.buffer(), index, epochNs + clock.nowNs(), packet, direction);
    } catch (PayloadLostException gone) {
      queue.abort(index);
      return;
    } catch (IllegalStateException | IllegalArgumentException cannotBeShown) {
      queue.abort(index); // A capture changes nothing: whoever has to deal with the packet will find out.
      count(dropped);
      return;
    }
    queue.commit(index);
    count(accepted);
  }

  private static void count(AtomicLong counter) {
    counter.lazySet(counter.getPlain() + 1);
  }

  /** What a section begins with: its header, and one interface. */
  public static byte[] preamble(String interfaceName) {
    byte[] bytes = new byte[PREAMBLE_ROOM];
    ByteBuffer buffer = Pcapng.wrap(bytes);
    Pcapng.putSectionHeader(buffer);
    Pcapng.putInterface(buffer, interfaceName);
    return Arrays.copyOf(bytes, buffer.position());
  }

  /**
   * Takes blocks out of the queue, whole ones. One thread at a time, which need not be the hardware thread.
   *
   * @param enough no further block is taken after so many bytes
   * @return empty if there are none, or the capture has ended
   */
  public byte[] take(int enough) {
    if (ended.isDone()) {
      return new byte[0];
    }
    long beforeNs = epochNs + clock.nowNs();
    Taker taker = new Taker(enough);
    long position;
    do { // Once more where the queue begins again from its start.
      position = queue.consumerPosition();
      queue.controlledRead(taker);
    } while (!taker.hasEnough() && queue.consumerPosition() != position);
    byte[] taken = taker.taken();
    reachedNs = taker.hasEnough() ? taker.lastNs() : beforeNs;
    return taken;
  }

  /**
   * The counts as a block. Its time says how far {@link #take} has come: nothing earlier follows, but for a packet that was under way to
   * the queue in that very moment. Called by who takes.
   */
  public byte[] statistics() {
    byte[] bytes = new byte[Pcapng.STATISTICS_LENGTH];
    long lost = dropped.get();
    Pcapng.putStatistics(Pcapng.wrap(bytes), 0, reachedNs, accepted.get() + lost, lost);
    return bytes;
  }

  /** Packets that did not fit, or could not be shown. Any thread, a moment old. */
  public long droppedCount() {
    return dropped.get();
  }

  /** Nobody takes anything any more: another capture may have the memory. */
  void end() {
    ended.complete(null);
  }

  CompletableFuture<Void> ended() {
    return ended;
  }

  /** Whether {@link CaptureHub#finish} asks whoever reads to come to an end. */
  public boolean isFinished() {
    return finished;
  }

  void finish() {
    finished = true;
  }

  /** Gathers blocks. A message of the queue may be longer than the block in it. */
  private static final class Taker implements ControlledMessageHandler {
    private final int enough;
    private byte[] bytes = new byte[0];
    private int length;
    private int lastAt;

    Taker(int enough) {
      this.enough = enough;
    }

    @Override
    public Action onMessage(int type, MutableDirectBuffer buffer, int index, int messageLength) {
      int blockLength = buffer.getInt(index + Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
      if (length + blockLength > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + blockLength, enough + Pcapng.BLOCK_LENGTH_MAX));
      }
      buffer.getBytes(index, bytes, length, blockLength);
      lastAt = length;
      length += blockLength;
      return hasEnough() ? Action.BREAK : Action.CONTINUE;
    }

    boolean hasEnough() {
      return length >= enough;
    }

    /** Time of the last packet. */
    long lastNs() {
      return Pcapng.timeNs(Pcapng.wrap(bytes), lastAt);
    }

    byte[] taken() {
      return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }
  }
}
