package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of simple message transfer (seed 003 section 4.1, figure 3): one message at a time. Its {@code tx_ready} says whether
 * the receiver's buffer is free.
 */
public final class MessageSender implements AutoCloseable {
  private static final long TX_READY = 0;

  private final Shared shared;

  public MessageSender(Nic nic) {
    shared = new Shared(nic, Long.BYTES, TX_READY);
    shared.setOwn(TX_READY, 1);
  }

  /** For the receiver. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor receiver) {
    shared.connect(receiver);
  }

  /** Fires when the receiver's buffer is free again; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  public boolean isReady() {
    return shared.word(TX_READY) != 0;
  }

  /** Sends a message; false if the last one is not taken yet, or the NIC has no room. */
  public boolean trySend(MemorySegment message, long offset, int length) {
    if (!shared.settle() || !isReady()) {
      return false;
    }
    long capacity = shared.peer().length() - MessageReceiver.BUFFER;
    if (length < 1 || length > capacity) {
      throw new IllegalArgumentException("a message of " + length + " bytes; the receiver's buffer has " + capacity);
    }
    if (!shared.peer().write(MessageReceiver.BUFFER, message, offset, length)) {
      return false;
    }
    shared.setOwn(TX_READY, 0);
    shared.writeWord(MessageReceiver.RX_READY, length);
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
