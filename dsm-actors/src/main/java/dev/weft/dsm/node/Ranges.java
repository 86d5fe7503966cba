package dev.weft.dsm.node;

import java.util.Map;
import java.util.TreeMap;

/** Which ranges of a row of places are unused: first fit. Bound: one entry for each range that is used, and one. */
final class Ranges {
  /** First place, length. */
  private final TreeMap<Long, Long> unused = new TreeMap<>();

  Ranges(long length) {
    unused.put(0L, length);
  }

  /** Where {@code length} places are unused, which they are no more; -1 if there are none. */
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

  /** Takes these places; false, and nothing is done, where one of them is in use. */
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

  /** They are unused again. */
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

  /** Length of the longest. */
  long longest() {
    return unused.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }
}
