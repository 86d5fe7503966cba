package dev.weft.hca;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Memory regions of one HCA by key. Keys are drawn from all 32 bits, so that holding one says nothing about another. Hardware thread
 * only. Bound: {@code regionsMax}.
 */
final class MrTable {
  private final Int2ObjectHashMap<MemoryRegion> regions = new Int2ObjectHashMap<>();
  private final RandomGenerator random;
  private final int regionsMax;
  /** The region looked up last: most packets of a flow hit the same one. */
  private MemoryRegion last;

  MrTable(RandomGenerator random, int regionsMax) {
    this.random = random;
    this.regionsMax = regionsMax;
  }

  int drawKey() {
    if (regions.size() >= regionsMax) {
      throw new VerbsException(VerbsException.Errno.ENOMEM,
          "the HCA holds " + regionsMax + " memory regions already; raise weft.hca.memory-regions-max");
    }
    int key;
    do {
      key = random.nextInt();
    } while (key == 0 || regions.containsKey(key));
    return key;
  }

  void add(MemoryRegion mr) {
    regions.put(mr.lkey(), mr);
  }

  void remove(MemoryRegion mr) {
    regions.remove(mr.lkey());
    mr.valid = false;
    last = null;
  }

  /** The usable region of that key in that domain, or null. */
  MemoryRegion find(int key, ProtectionDomain pd) {
    MemoryRegion mr = last;
    if (mr == null || mr.lkey() != key) {
      mr = regions.get(key);
      if (mr == null) {
        return null;
      }
      last = mr;
    }
    return mr.isUsable() && mr.pd() == pd ? mr : null;
  }

  boolean contains(MemoryRegion mr) {
    return regions.get(mr.lkey()) == mr;
  }

  int count() {
    return regions.size();
  }

  List<MemoryRegion> all() {
    List<MemoryRegion> list = new ArrayList<>(regions.values());
    list.sort(Comparator.comparingLong(MemoryRegion::addr));
    return list;
  }
}
