package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of the distributed queue (CLAN, section 4.2, figure 4): messages of one size in a circular buffer of the receiver. This end owns
 * {@code write_i} and has a lazy copy of {@code read_i}; the queue is full when one slot is left.
 */
public final class QueueSender extends End {
  private static final long LAZY_READ_I = 0;

  private final int messageBytes;
  private final int slots;
  private long writeI;

  /** A sender for a {@link QueueReceiver} of the same sizes. */
  public QueueSender(Nic nic, int messageBytes, int slots) {
    QueueReceiver.check(messageBytes, slots);
    this.messageBytes = messageBytes;
    this.slots = slots;
    super(nic, Long.BYTES, LAZY_READ_I);
  }

  /**
   * Whether there is no room, as far as this end knows.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID while the other end's index is impossible
   */
  public boolean isFull() {
    return (writeI + 1) % slots == QueueReceiver.checkedIndex("reads", word(LAZY_READ_I), slots);
  }

  /** Enqueues a message of the queue's size; returns false if the queue is full or the NIC has no room. Throws as {@link #isFull} does. */
  public boolean tryEnqueue(MemorySegment message, long offset) {
    if (!flush() || isFull()
        || !peer().write(QueueReceiver.SLOTS + writeI * messageBytes, message, offset, messageBytes)) {
      return false;
    }
    writeI = (writeI + 1) % slots;
    writeWord(QueueReceiver.LAZY_WRITE_I, writeI);
    return true;
  }
}
