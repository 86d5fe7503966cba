package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of the distributed queue (CLAN, section 4.2, figure 4). It owns the buffer and {@code read_i}, and has a lazy copy of
 * {@code write_i}. The copy may be late; then this end sees fewer messages than there are. The other end may write any value there, so each look
 * checks it, and shows at most as many messages as the queue has room for.
 */
public final class QueueReceiver extends End {
  static final long LAZY_WRITE_I = 0;
  static final long SLOTS = 64;

  private final int messageBytes;
  private final int slots;
  private long readI;

  /** A queue for {@code slots} - 1 messages of {@code messageBytes} each. */
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
   * Checks an index that the other end has written.
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
   * Whether this end knows of no message.
   *
   * @throws NicException INVALID while the other end's index is impossible
   */
  public boolean isEmpty() {
    return readI == checkedIndex("writes", word(LAZY_WRITE_I), slots);
  }

  /** The oldest message, in place; null if there is none. Valid until {@link #release}. Throws as {@link #isEmpty} does. */
  public MemorySegment peek() {
    return isEmpty() ? null : memory.asSlice(SLOTS + readI * messageBytes, messageBytes).asReadOnly();
  }

  /** Releases the message that {@link #peek} returned. */
  public void release() {
    readI = (readI + 1) % slots;
    writeWord(0, readI); // A pending word is an older value of the same word.
  }
}
