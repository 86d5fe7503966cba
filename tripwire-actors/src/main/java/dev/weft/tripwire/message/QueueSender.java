package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of the distributed queue (seed 003 section 4.2, figure 4): messages of one size in a circular buffer of the receiver.
 * This end owns {@code write_i} and has a lazy copy of {@code read_i}; the queue is full when one slot is left.
 */
public final class QueueSender implements AutoCloseable {
  private static final long LAZY_READ_I = 0;

  private final Shared shared;
  private final int messageBytes;
  private final int slots;
  private long writeI;

  /** A sender to a {@link QueueReceiver} of the same sizes. */
  public QueueSender(Nic nic, int messageBytes, int slots) {
    QueueReceiver.check(messageBytes, slots);
    this.messageBytes = messageBytes;
    this.slots = slots;
    shared = new Shared(nic, Long.BYTES, LAZY_READ_I);
  }

  /** For the receiver. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor receiver) {
    shared.connect(receiver);
  }

  /** Fires when the receiver has taken messages; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  /** Whether there is no room, as far as this end knows. */
  public boolean isFull() {
    return (writeI + 1) % slots == shared.word(LAZY_READ_I);
  }

  /** Enqueues a message of the queue's size; false if the queue is full or the NIC has no room. */
  public boolean tryEnqueue(MemorySegment message, long offset) {
    if (!shared.settle() || isFull()
        || !shared.peer().write(QueueReceiver.SLOTS + writeI * messageBytes, message, offset, messageBytes)) {
      return false;
    }
    writeI = (writeI + 1) % slots;
    shared.writeWord(QueueReceiver.LAZY_WRITE_I, writeI);
    return true;
  }

  /** Sends what the NIC had no room for; false if it still has none. */
  public boolean flush() {
    return shared.settle();
  }

  @Override
  public void close() {
    shared.close();
  }
}
