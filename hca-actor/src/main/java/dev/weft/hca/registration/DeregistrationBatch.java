package dev.weft.hca.registration;

import java.util.ArrayList;
import java.util.List;

/**
 * Regions that lookups no longer find and that will be deregistered together (PVFS over InfiniBand section 5.4, FMD). Fewer than {@code countMax}
 * regions and at most {@code bytesMax} bytes wait. With a {@code countMax} of 1, each region is deregistered at once.
 */
final class DeregistrationBatch {
  private final Registrar registrar;
  private final int countMax;
  private final long bytesMax;
  private final List<Region> waiting = new ArrayList<>();
  private long bytes;
  private long pinnedBytes;
  private long batches;

  DeregistrationBatch(Registrar registrar, int countMax, long bytesMax) {
    this.registrar = registrar;
    this.countMax = countMax;
    this.bytesMax = bytesMax;
  }

  void add(Region region) {
    if (bytes + region.bytes() > bytesMax) {
      flush();
    }
    waiting.add(region);
    bytes += region.bytes();
    pinnedBytes += region.keys.isPinned() ? region.bytes() : 0;
    if (waiting.size() >= countMax || bytes > bytesMax) {
      flush();
    }
  }

  /** Deregisters the waiting regions. */
  void flush() {
    if (waiting.isEmpty()) {
      return;
    }
    List<RegisteredMemory> keys = new ArrayList<>(waiting.size());
    List<Long> lengths = new ArrayList<>(waiting.size());
    for (Region region : waiting) {
      keys.add(region.keys);
      lengths.add(region.bytes());
    }
    // Before the call, so that an error is reported once and not again with every later batch.
    waiting.clear();
    bytes = 0;
    pinnedBytes = 0;
    if (countMax == 1) {
      registrar.deregister(keys.getFirst(), lengths.getFirst());
    } else {
      batches++;
      registrar.deregisterAll(keys, lengths);
    }
  }

  /** Deregisters the waiting regions if one of them overlaps a range that is about to be reused. */
  void flushIfOverlaps(long start, long end) {
    for (Region region : waiting) {
      if (region.overlaps(start, end)) {
        flush();
        return;
      }
    }
  }

  int count() {
    return waiting.size();
  }

  long bytes() {
    return bytes;
  }

  long pinnedBytes() {
    return pinnedBytes;
  }

  long batches() {
    return batches;
  }
}
