package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/** The receiving end of a byte stream; see {@link StreamSender}. */
public final class StreamReceiver implements AutoCloseable {
  static final long LAZY_WRITTEN = 0;
  static final long BUFFER = 64;

  private final Shared shared;
  private final int capacity;
  private long read;

  /** A receiver that buffers {@code capacity} bytes, 1 or more. */
  public StreamReceiver(Nic nic, int capacity) {
    this.capacity = capacity;
    shared = new Shared(nic, BUFFER + capacity, LAZY_WRITTEN);
  }

  /** For the sender. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor sender) {
    shared.connect(sender);
  }

  /** Fires when bytes have come; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  /** Bytes that can be read now. */
  public int available() {
    return (int) (shared.word(LAZY_WRITTEN) - read);
  }

  /** Reads up to {@code length} bytes; answers how many, 0 for none now. */
  public int read(MemorySegment target, long offset, int length) {
    int at = (int) (read % capacity);
    int count = Math.min(Math.min(length, available()), capacity - at);
    if (count > 0) {
      MemorySegment.copy(shared.memory, BUFFER + at, target, offset, count);
      read += count;
      shared.writeWord(0, read); // What was owed is an older value of the same word.
    }
    return count;
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
