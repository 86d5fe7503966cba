package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** A page of the list of a daemon's objects: those with the smallest numbers, as many as fit, offered in any order. */
final class ObjectPage {
  /** Bytes of an object in a page: its number and its length. */
  static final int ENTRY_BYTES = 16;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int max;
  private final TreeMap<Long, Long> entries = new TreeMap<>();
  private boolean hasMore;

  /** @param bytes maximum size */
  ObjectPage(int bytes) {
    max = bytes / ENTRY_BYTES;
  }

  /** Offers an object behind the cookie; its length is read only if it stays in the page. */
  void offer(long object, LongSupplier length) {
    if (max == 0) {
      hasMore = true;
    } else if (entries.size() < max || object < entries.lastKey()) {
      entries.put(object, length.getAsLong());
      if (entries.size() > max) {
        entries.pollLastEntry();
        hasMore = true;
      }
    } else {
      hasMore = true;
    }
  }

  /** Whether it has no room for a single object, though there are some. */
  boolean isTooSmall() {
    return max == 0 && hasMore;
  }

  /** Returns the cookie of the next page, which has greater numbers; 0 if there is none. */
  long next() {
    return hasMore && max > 0 ? entries.lastKey() : 0;
  }

  MemorySegment bytes() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[entries.size() * ENTRY_BYTES]);
    long at = 0;
    for (var each : entries.entrySet()) {
      bytes.set(LONG, at, each.getKey());
      bytes.set(LONG, at + 8, each.getValue());
      at += ENTRY_BYTES;
    }
    return bytes;
  }
}
