package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of simple message transfer (CLAN, section 4.1, figure 3). Its {@code rx_ready} is the length of the message in the buffer, 0 for
 * none.
 */
public final class MessageReceiver extends End {
  static final long RX_READY = 0;
  static final long BUFFER = 64;

  /** A receiver of messages of at most {@code messageMaxBytes}. */
  public MessageReceiver(Nic nic, int messageMaxBytes) {
    super(nic, BUFFER + messageMaxBytes, RX_READY);
  }

  /**
   * The present message, in place; null if there is none. Valid until {@link #release}.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the other end has written an impossible length
   */
  public MemorySegment peek() {
    long length = word(RX_READY);
    return length == 0 ? null : message("a message", BUFFER, length);
  }

  /** Releases the message: the sender may send the next one. */
  public void release() {
    flush();
    setOwn(RX_READY, 0);
    writeWord(0, 1);
  }
}
