package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of simple message transfer (CLAN, section 4.1, figure 3): one message at a time. Its {@code tx_ready} says whether the receiver's
 * buffer is free.
 */
public final class MessageSender extends End {
  private static final long TX_READY = 0;

  public MessageSender(Nic nic) {
    super(nic, Long.BYTES, TX_READY);
    setOwn(TX_READY, 1);
  }

  public boolean isReady() {
    return word(TX_READY) != 0;
  }

  /** Sends a message; returns false if the last one is not released yet, or the NIC has no room. */
  public boolean trySend(MemorySegment message, long offset, int length) {
    if (!flush() || !isReady()) {
      return false;
    }
    long capacity = peer().length() - MessageReceiver.BUFFER;
    if (length < 1 || length > capacity) {
      throw new IllegalArgumentException("a message of " + length + " bytes; the receiver's buffer has " + capacity);
    }
    if (!peer().write(MessageReceiver.BUFFER, message, offset, length)) {
      return false;
    }
    setOwn(TX_READY, 0);
    writeWord(MessageReceiver.RX_READY, length);
    return true;
  }
}
