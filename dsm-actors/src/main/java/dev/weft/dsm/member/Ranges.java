package dev.weft.dsm.member;

import java.util.Map;
import java.util.TreeMap;

/** The unused ranges of a row of places, allocated by first fit. Bound: one entry for each used range, plus one. */
final class Ranges {
  /** Start and length of each unused range. */
  private final TreeMap<Long, Long> unused = new TreeMap<>();

  Ranges(long length) {
    unused.put(0L, length);
  }

  /** Takes the first {@code length} unused places in a row; returns their start, -1 if there are none. */
  long take(long length) {
    long first = unused.entrySet().stream().filter(range -> range.getValue() >= length).mapToLong(Map.Entry::getKey).findFirst().orElse(-1);
    if (first >= 0) {
      long left = unused.remove(first) - length;
      if (left > 0) {
        unused.put(first + length, left);
      }
    }
    return first;
  }

  /** Takes these places; returns false and changes nothing if one of them is in use. */
  boolean takeAt(long first, long length) {
    Map.Entry<Long, Long> around = unused.floorEntry(first);
    if (length == 0 || around == null || around.getKey() + around.getValue() < first + length) {
      return length == 0;
    }
    long begin = around.getKey();
    long end = begin + around.getValue();
    unused.remove(begin);
    if (begin < first) {
      unused.put(begin, first - begin);
    }
    if (first + length < end) {
      unused.put(first + length, end - first - length);
    }
    return true;
  }

  /** Returns places to the unused ones. */
  void giveBack(long first, long length) {
    Map.Entry<Long, Long> before = unused.floorEntry(first);
    if (before != null && before.getKey() + before.getValue() == first) {
      unused.remove(before.getKey());
      giveBack(before.getKey(), before.getValue() + length);
      return;
    }
    Long after = unused.remove(first + length);
    unused.put(first, after == null ? length : length + after);
  }

  /** Length of the longest unused range. */
  long longest() {
    return unused.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }
}
