package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/** The sending end of a byte stream: the distributed queue for unstructured data (CLAN, section 4.3). Counters count bytes since the start. */
public final class StreamSender extends End {
  private static final long LAZY_READ = 0;

  private long written;

  public StreamSender(Nic nic) {
    super(nic, Long.BYTES, LAZY_READ);
  }

  /** Sends up to {@code length} bytes; returns the number of bytes that found room, 0 if there is none now. */
  public int write(MemorySegment source, long offset, int length) {
    if (!flush()) {
      return 0;
    }
    long capacity = peer().length() - StreamReceiver.BUFFER;
    long at = written % capacity;
    int count = (int) Math.min(Math.min(length, capacity - (written - word(LAZY_READ))), capacity - at);
    if (count == 0 || !peer().write(StreamReceiver.BUFFER + at, source, offset, count)) {
      return 0;
    }
    written += count;
    writeWord(StreamReceiver.LAZY_WRITTEN, written);
    return count;
  }
}
