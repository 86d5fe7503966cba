package dev.weft.pvfs.client;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import java.lang.foreign.MemorySegment;
import java.util.function.ObjIntConsumer;

/** Sends parts of tasks to daemons: chooses the band, fills a send buffer, and puts the data of a write into or beside the request. */
final class RequestSender {
  private final ClientSettings settings;
  private final Bands bands;
  private final UserMemory userMemory;
  private final PartMemory partMemory;
  private final CapabilitySource capabilities;
  private final Costs costs;
  private final ObjIntConsumer<DaemonTask> ended;
  private final DaemonRequest request = new DaemonRequest();
  final long[] sentBy = new long[Band.values().length];
  /** Bytes copied by a processor instead of RDMA. */
  long bytesCopied;

  /** @param ended called with each part that cannot be sent, and with the error number */
  RequestSender(ClientSettings settings, UserMemory userMemory, PartMemory partMemory, CapabilitySource capabilities, Costs costs,
      ObjIntConsumer<DaemonTask> ended) {
    this.settings = settings;
    this.bands = new Bands(settings);
    this.userMemory = userMemory;
    this.partMemory = partMemory;
    this.capabilities = capabilities;
    this.costs = costs;
    this.ended = ended;
  }

  /** Describes for people which band moves data of which length to a daemon. */
  String bandsOf(DaemonLink link) {
    return bands.describe(link);
  }

  /** Sends a part; returns false if it must wait for a buffer. */
  boolean trySend(DaemonLink link, DaemonTask part) {
    if (part.band == null) {
      part.band = bands.of(part, link);
    }
    part.fastSlot = part.band == Band.FAST ? link.takeSlot() : -1;
    if (part.band == Band.FAST && part.fastSlot < 0) {
      return false; // An answer frees one.
    }
    int slot = link.channel().reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      freeSlot(link, part);
      return false;
    }
    link.waiting.poll();
    int length;
    try {
      length = fill(link, part, slot);
    } catch (VerbsException | IllegalStateException refused) {
      // The program's memory cannot be registered, is closed, or has lost its pages.
      link.channel().cancel(slot);
      freeSlot(link, part);
      ended.accept(part, refused instanceof VerbsException verbs && verbs.errno() == VerbsException.Errno.ENOMEM ? Errno.ENOMEM : Errno.EFAULT);
      return true;
    }
    send(link, part, slot, length);
    return true;
  }

  /** Writes the request into a send buffer, with its data in or beside it; returns its length. */
  private int fill(DaemonLink link, DaemonTask part, int slot) {
    MessageChannel channel = link.channel();
    boolean isWrite = part.op == DaemonOp.WRITE;
    if (part.losses > 0) {
      PartMemory.requireThere(part); // Missing memory may have broken the last connection; it would break the next one, too.
    }
    request.clear();
    request.op = part.op;
    request.band = part.band;
    request.object = part.task.object;
    request.id = part.id == 0 ? link.nextId : part.id;
    request.wroteNs = changesContent(part.op) ? part.task.wroteNs() : 0;
    part.isChecked = settings.isChecked() && ClientCore.moves(part.op);
    request.isChecked = part.isChecked;
    request.sum = part.isChecked && isWrite ? partMemory.sumOfWrite(part) : 0;
    byte[] capability = capabilities.of(part.task.object, part.op);
    if (capability != null) {
      System.arraycopy(capability, 0, request.capability, 0, capability.length);
    }
    if (part.shaped == null) {
      request.file.copyFrom(part.file);
    }
    request.replySlot = part.band == Band.FAST && !isWrite ? part.fastSlot : DaemonRequest.NO_SLOT;
    if (part.shaped != null) {
      request.shaped = part.band.hasDataBehind() ? part.shaped : userMemory.describe(part);
    } else if (!part.band.hasDataBehind()) {
      userMemory.describe(part, request.memory);
    }
    long at = channel.offset(slot);
    int length = request.encode(channel.buffers(), at);
    if (isWrite && part.band == Band.INLINE) {
      length += copyOut(part, channel.buffers(), at + length);
    } else if (isWrite && part.band == Band.FAST) {
      part.isGathered = userMemory.keeps(part);
      if (!part.isGathered) {
        copyOut(part, link.fast.segment(), (long) part.fastSlot * link.slotBytes);
      }
    }
    return length;
  }

  private void send(DaemonLink link, DaemonTask part, int slot, int length) {
    MessageChannel channel = link.channel();
    part.id = part.id == 0 ? link.nextId++ : part.id;
    link.onSent(part);
    part.sentAfter = link.unsynced.counted();
    link.sentCount++;
    sentBy[part.band.ordinal()]++;
    costs.sends(length);
    if (part.op == DaemonOp.WRITE && part.band == Band.FAST) {
      channel.writeWith(slot, length, work -> userMemory.addFast(link, part, work),
          link.theirs.addressOf(part.fastSlot), link.theirs.rkey(), part.fastSlot, false, 0);
    } else {
      channel.send(slot, length, true);
    }
  }

  private int copyOut(DaemonTask part, MemorySegment to, long at) {
    PartMemory.copyOut(part, to, at);
    copied(part.memory.totalBytes());
    return (int) part.memory.totalBytes();
  }

  /** Counts bytes that this processor has copied. */
  void copied(long bytes) {
    bytesCopied += bytes;
    costs.copies(bytes);
  }

  static void freeSlot(DaemonLink link, DaemonTask part) {
    if (part.fastSlot >= 0) {
      link.giveSlot(part.fastSlot);
      part.fastSlot = -1;
    }
  }

  private static boolean changesContent(DaemonOp op) {
    return op == DaemonOp.WRITE || op == DaemonOp.EXTEND || op == DaemonOp.PUNCH;
  }
}
