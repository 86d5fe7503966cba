package dev.weft.hca.messaging;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.WriteWatches;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The memory into which one peer writes its messages, with a watch that notifies of the next write. Each slot ends with the message, its length and
 * its number. The number arrives last, so a slot with the expected number is complete. Used on the endpoint's thread only.
 */
final class Mailbox {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int ALIGNMENT_BYTES = 64;
  /** Result of {@link #length} for an invalid message. */
  static final int MALFORMED = -1;

  final QueuePairChannel channel;
  private final Hca hca;
  private final MemorySegment memory;
  private final MemoryRegion mr;
  private final int slots;
  private final int slotBytes;
  private final WriteWatches.WriteWatch watch;
  /** The number of the next message. */
  private int next = 1;
  private int slot;
  /** Whether this mailbox is in the endpoint's list of mailboxes that were written to. */
  boolean isListed;

  /** Creates a mailbox that runs {@code written} at the first write after each {@link #arm}. */
  Mailbox(QueuePairChannel channel, Hca hca, ProtectionDomain pd, ChannelSettings settings, WriteWatches watches, Runnable written) {
    this.channel = channel;
    this.hca = hca;
    slots = settings.receiveBuffers();
    slotBytes = strideBytes(settings.messageBytes());
    // An automatic arena, because packets in flight may refer to this memory after the mailbox is closed.
    memory = Arena.ofAuto().allocate((long) slots * slotBytes, ALIGNMENT_BYTES);
    mr = hca.regMr(pd, memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    try {
      watch = watches.watch(mr, 0, memory.byteSize(), written);
    } catch (RuntimeException refused) {
      hca.deregMr(mr);
      throw refused;
    }
  }

  /** Returns the size of a slot for a message and its trailer. */
  static int strideBytes(int messageBytes) {
    return messageBytes + MailboxAddress.TRAILER_BYTES + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
  }

  MailboxAddress address() {
    return new MailboxAddress(mr.addr(), mr.rkey(), slots, slotBytes);
  }

  void arm() {
    watch.arm();
  }

  private long end() {
    return (long) (slot + 1) * slotBytes;
  }

  boolean hasMessage() {
    return memory.get(INT, end() - 4) == next;
  }

  /** Returns the length of the message in the current slot, which is at {@link #offset}; or {@link #MALFORMED}. */
  int length() {
    int length = memory.get(INT, end() - MailboxAddress.TRAILER_BYTES);
    return length < 0 || length > slotBytes - MailboxAddress.TRAILER_BYTES ? MALFORMED : length;
  }

  MemorySegment memory() {
    return memory;
  }

  long offset(int length) {
    return end() - MailboxAddress.TRAILER_BYTES - length;
  }

  /** Moves to the next slot. The peer may overwrite the old one from now on. */
  void advance() {
    next++;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }

  void close() {
    watch.close();
    hca.deregMr(mr);
  }
}
