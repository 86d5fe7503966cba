package dev.weft.hca.registration;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds regions by address; regions may overlap. */
final class RegionIndex {
  private record Key(long start, long number) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = Long.compareUnsigned(start, other.start);
      return order != 0 ? order : Long.compare(number, other.number);
    }
  }

  private final TreeMap<Key, Region> regions = new TreeMap<>();
  /** Upper limit of the length of all regions, so that a search knows how far back it has to look. Reset only when the index is empty. */
  private long longestBytes;

  void add(Region region) {
    regions.put(new Key(region.start(), region.number), region);
    longestBytes = Math.max(longestBytes, region.bytes());
  }

  void remove(Region region) {
    regions.remove(new Key(region.start(), region.number));
    if (regions.isEmpty()) {
      longestBytes = 0;
    }
  }

  /** Returns a region that serves the request, or null. */
  Region find(MemorySegment wanted, int access) {
    long lowest = wanted.address() + wanted.byteSize() - longestBytes;
    for (Map.Entry<Key, Region> at = regions.floorEntry(new Key(wanted.address(), Long.MAX_VALUE)); at != null
        && at.getKey().start() >= lowest; at = regions.lowerEntry(at.getKey())) {
      if (at.getValue().serves(wanted, access)) {
        return at.getValue();
      }
    }
    return null;
  }

  /** Returns the regions that overlap a range, in the order of their addresses. */
  List<Region> overlapping(long start, long end) {
    List<Region> found = new ArrayList<>();
    for (Region region : regions.subMap(new Key(Math.max(0, start - longestBytes), 0), new Key(end, 0)).values()) {
      if (region.overlaps(start, end)) {
        found.add(region);
      }
    }
    return found;
  }

  Collection<Region> all() {
    return regions.values();
  }

  int size() {
    return regions.size();
  }
}
