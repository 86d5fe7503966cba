package dev.weft.tripwire.message;

import dev.weft.tripwire.Nic;
import dev.weft.tripwire.NicException;
import dev.weft.tripwire.Status;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of the distributed queue (seed 003 section 4.2, figure 4): owns the buffer and {@code read_i}, and has a lazy copy of
 * {@code write_i}, which may be behind for a moment: then it sees fewer messages than there are.
 * The other end may write anything there: it is checked with each look, and shows at most as many messages as the queue has room for.
 */
public final class QueueReceiver extends End {
  static final long LAZY_WRITE_I = 0;
  static final long SLOTS = 64;

  private final int messageBytes;
  private final int slots;
  private long readI;

  /** A queue for {@code slots} - 1 messages of {@code messageBytes}. */
  public QueueReceiver(Nic nic, int messageBytes, int slots) {
    check(messageBytes, slots);
    this.messageBytes = messageBytes;
    this.slots = slots;
    super(nic, SLOTS + (long) messageBytes * slots, LAZY_WRITE_I);
  }

  static void check(int messageBytes, int slots) {
    if (messageBytes < 1 || slots < 2) {
      throw new IllegalArgumentException(slots + " slots of " + messageBytes + " bytes; a queue has at least 2 of at least 1");
    }
  }

  /**
   * An index that the other end has written.
   *
   * @throws NicException INVALID if the queue has no such slot
   */
  static long checkedIndex(String what, long index, int slots) {
    if (index < 0 || index >= slots) {
      throw new NicException(Status.INVALID, "the other end says that it " + what + " slot " + index + " next, want 0 to " + (slots - 1));
    }
    return index;
  }

  /**
   * Whether no message is known of.
   *
   * @throws NicException INVALID if the other end has written an index that cannot be, as long as that is there
   */
  public boolean isEmpty() {
    return readI == checkedIndex("writes", word(LAZY_WRITE_I), slots);
  }

  /** The oldest message, in place; null if there is none. It stays until {@link #release}. Throws as {@link #isEmpty} does. */
  public MemorySegment peek() {
    return isEmpty() ? null : memory.asSlice(SLOTS + readI * messageBytes, messageBytes).asReadOnly();
  }

  /** The oldest message, which {@link #peek} answered, has been used. */
  public void release() {
    readI = (readI + 1) % slots;
    writeWord(0, readI); // What was owed is an older value of the same word.
  }
}
