package dev.weft.pvfs.daemon;

import dev.weft.hca.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers in registered memory for data between network and disk (PVFS over InfiniBand, section 5.2). There are zones of 64 KiB, 128 KiB and so on up
 * to 2 MiB, or to the longest transfer; each has the same share of the memory. A transfer gets a buffer of the zone that fits, else of a larger one;
 * else, if it may be cut, of a smaller one. So memory never fragments. The daemon's thread.
 */
final class Zones {
  static final int SMALLEST_BYTES = 64 << 10;
  static final int BIGGEST_BYTES = 2 << 20;
  private static final int CLASSES = 6;
  /** At least one buffer of each size. */
  static final long MEMORY_MIN = (long) CLASSES * BIGGEST_BYTES;

  /** A buffer. */
  static final class Zone {
    final MemoryRegion region;
    final long at;
    final int bytes;
    private final int index;
    private boolean isFree = true;

    private Zone(MemoryRegion region, long at, int bytes, int index) {
      this.region = region;
      this.at = at;
      this.bytes = bytes;
      this.index = index;
    }

    MemorySegment memory(long length) {
      return region.segment().asSlice(at, length);
    }
  }

  /** By size. */
  private final List<ArrayDeque<Zone>> free = new ArrayList<>();
  private final int biggestBytes;
  private int count;
  private int used;
  private int usedMax;

  /** @param transferBytes longest transfer; at most {@link #BIGGEST_BYTES} needs no larger zone */
  Zones(MemoryRegion region, int transferBytes) {
    int classes = CLASSES;
    while (SMALLEST_BYTES << classes - 1 < transferBytes) {
      classes++;
    }
    biggestBytes = SMALLEST_BYTES << classes - 1;
    long at = 0;
    long each = region.length() / classes;
    for (int index = 0; index < classes; index++) {
      free.add(new ArrayDeque<>());
      int bytes = SMALLEST_BYTES << index;
      for (long left = each; left >= bytes; left -= bytes, at += bytes, count++) {
        free.get(index).add(new Zone(region, at, bytes, index));
      }
    }
  }

  /**
   * Returns null if there is none now.
   *
   * @param bytes wanted, at most {@link #biggestBytes}
   * @param mayBeSmaller whether the transfer can be cut
   */
  Zone take(int bytes, boolean mayBeSmaller) {
    int fits = 0;
    while (SMALLEST_BYTES << fits < bytes) {
      fits++;
    }
    for (int index = fits; index < free.size(); index++) {
      if (!free.get(index).isEmpty()) {
        return take(free.get(index));
      }
    }
    for (int index = fits; mayBeSmaller && index-- > 0;) {
      if (!free.get(index).isEmpty()) {
        return take(free.get(index));
      }
    }
    return null;
  }

  private Zone take(ArrayDeque<Zone> from) {
    Zone zone = from.pollFirst();
    zone.isFree = false;
    usedMax = Math.max(usedMax, ++used);
    return zone;
  }

  void giveBack(Zone zone) {
    if (zone.isFree) {
      throw new IllegalStateException("a zone buffer of " + zone.bytes + " bytes is given back twice");
    }
    zone.isFree = true;
    used--;
    free.get(zone.index).addFirst(zone); // The buffer used last is in the processor's cache.
  }

  int biggestBytes() {
    return biggestBytes;
  }

  int count() {
    return count;
  }

  int used() {
    return used;
  }

  int usedMax() {
    return usedMax;
  }
}
