package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of simple message transfer (seed 003 section 4.1, figure 3). Its {@code rx_ready} is the length of the message in the
 * buffer, 0 for none.
 */
public final class MessageReceiver implements AutoCloseable {
  static final long RX_READY = 0;
  static final long BUFFER = 64;

  private final Shared shared;

  /** A receiver of messages of at most {@code messageMaxBytes}. */
  public MessageReceiver(Nic nic, int messageMaxBytes) {
    shared = new Shared(nic, BUFFER + messageMaxBytes, RX_READY);
  }

  /** For the sender. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor sender) {
    shared.connect(sender);
  }

  /** Fires when a message is there as a whole; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  /**
   * The message that is there, in place; null if there is none. It stays until {@link #release}.
   */
  public MemorySegment peek() {
    long length = shared.word(RX_READY);
    return length == 0 ? null : shared.memory.asSlice(BUFFER, length).asReadOnly();
  }

  /** The message has been used: the sender may send the next. */
  public void release() {
    shared.settle();
    shared.setOwn(RX_READY, 0);
    shared.writeWord(0, 1);
  }

  /** Tells the sender what the NIC had no room for; false if it still has none. */
  public boolean flush() {
    return shared.settle();
  }

  @Override
  public void close() {
    shared.close();
  }
}
