package dev.weft.tripwire.message;

import dev.weft.tripwire.Descriptor;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of a byte stream: the distributed queue for unstructured data (seed 003 section 4.3). Counters count bytes since the
 * start.
 */
public final class StreamSender implements AutoCloseable {
  private static final long LAZY_READ = 0;

  private final Shared shared;
  private long written;

  public StreamSender(Nic nic) {
    shared = new Shared(nic, Long.BYTES, LAZY_READ);
  }

  /** For the receiver. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  public void connect(Descriptor receiver) {
    shared.connect(receiver);
  }

  /** Fires when the receiver has read; armed by the caller. */
  public Tripwire ready() {
    return shared.tripwire;
  }

  /** Sends up to {@code length} bytes; answers how many found room, 0 for none now. */
  public int write(MemorySegment source, long offset, int length) {
    if (!shared.settle()) {
      return 0;
    }
    long capacity = shared.peer().length() - StreamReceiver.BUFFER;
    long at = written % capacity;
    int count = (int) Math.min(Math.min(length, capacity - (written - shared.word(LAZY_READ))), capacity - at);
    if (count == 0 || !shared.peer().write(StreamReceiver.BUFFER + at, source, offset, count)) {
      return 0;
    }
    written += count;
    shared.writeWord(StreamReceiver.LAZY_WRITTEN, written);
    return count;
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
