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
 * Where one peer writes its messages, with a watch that tells of the next. A message lies at the end of its slot, behind it its length and
 * its number, which come last: a slot whose number is the expected one is complete. Endpoint's thread.
 */
final class Mailbox {
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int ALIGNMENT_BYTES = 64;
  /** Answer of {@link #length} for a message that cannot be. */
  static final int MALFORMED = -1;

  final QueuePairChannel channel;
  private final Hca hca;
  private final MemorySegment memory;
  private final MemoryRegion mr;
  private final int slots;
  private final int slotBytes;
  private final WriteWatches.WriteWatch watch;
  /** Number of the message that is expected. */
  private int next = 1;
  private int slot;
  /** It waits in the endpoint's list of those that were written to. */
  boolean isListed;

  /** {@code written} is run when something was written after {@link #arm}. */
  Mailbox(QueuePairChannel channel, Hca hca, ProtectionDomain pd, ChannelSettings settings, WriteWatches watches, Runnable written) {
    this.channel = channel;
    this.hca = hca;
    slots = settings.receiveBuffers();
    slotBytes = strideBytes(settings.messageBytes());
    // Packets in flight may refer to this memory after it is closed, hence a collected arena.
    memory = Arena.ofAuto().allocate((long) slots * slotBytes, ALIGNMENT_BYTES);
    mr = hca.regMr(pd, memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    try {
      watch = watches.watch(mr, 0, memory.byteSize(), written);
    } catch (RuntimeException refused) {
      hca.deregMr(mr);
      throw refused;
    }
  }

  /** Room for a message and its trailer. */
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

  /** Length of the message that is there, at {@link #offset}; or {@link #MALFORMED}. */
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

  /** Goes on to the next slot; the present one may be written again. */
  void advance() {
    next++;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }

  void close() {
    watch.close();
    hca.deregMr(mr);
  }
}
