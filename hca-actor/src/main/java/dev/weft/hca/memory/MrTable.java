package dev.weft.hca.memory;

import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;

/**
 * The memory regions of one HCA, and the bindings of memory windows, by key. Keys are drawn at random from all 32 bits, so that knowing one key does not
 * help to guess another. The keys of a type 2 window share their upper 24 bits. At most {@code regionsMax} regions and windows. Hardware thread only.
 */
public final class MrTable {
  private final Int2ObjectHashMap<Mr> regions = new Int2ObjectHashMap<>();
  /** The upper 24 bits of the keys of type 2 windows. */
  private final IntHashSet windowKeys = new IntHashSet();
  private final RandomGenerator random;
  private final int regionsMax;
  private int windowCount;
  private int bindingCount;
  /** The last region found, because most packets of a flow use the same one. */
  private Mr last;

  public MrTable(RandomGenerator random, int regionsMax) {
    this.random = random;
    this.regionsMax = regionsMax;
  }

  int drawKey() {
    if (regions.size() - bindingCount + windowCount >= regionsMax) {
      throw new VerbsException(VerbsException.Errno.ENOMEM,
          "the HCA holds " + regionsMax + " memory regions and windows already; raise weft.hca.memory-regions-max");
    }
    return drawBeyondBound();
  }

  /** Draws a key without checking the limit, for a region that replaces another. */
  public int drawBeyondBound() {
    int key;
    do {
      key = random.nextInt();
    } while (!isFree(key));
    return key;
  }

  boolean isFree(int key) {
    return key != 0 && !regions.containsKey(key) && !windowKeys.contains(key >>> 8);
  }

  /** Counts a window and returns its first key: 0 for type 1, the lowest of 256 reserved keys for type 2. */
  int allocateWindow(MemoryWindow.Type type) {
    int key = drawKey() & ~0xff;
    if (type == MemoryWindow.Type.TYPE_2) {
      while (!isRangeFree(key)) {
        key = drawKey() & ~0xff;
      }
      windowKeys.add(key >>> 8);
    }
    windowCount++;
    return type == MemoryWindow.Type.TYPE_2 ? key : 0;
  }

  private boolean isRangeFree(int first) {
    for (int low = 0; low <= 0xff; low++) {
      if (regions.containsKey(first | low)) {
        return false;
      }
    }
    return first != 0 && !windowKeys.contains(first >>> 8);
  }

  void freeWindow(Mw window) {
    windowCount--;
    if (window.type() == MemoryWindow.Type.TYPE_2) {
      windowKeys.remove(window.rkey() >>> 8);
    }
  }

  void add(Mr mr) {
    regions.put(mr.lkey(), mr);
  }

  void remove(Mr mr) {
    regions.remove(mr.lkey());
    mr.invalidate();
    last = null;
  }

  void addBinding(Mr binding) {
    add(binding);
    bindingCount++;
  }

  void removeBinding(Mr binding) {
    remove(binding);
    bindingCount--;
  }

  /** Returns the usable region or binding of that key in that domain, or null. */
  public Mr find(int key, ProtectionDomain pd) {
    Mr mr = last;
    if (mr == null || mr.lkey() != key) {
      mr = regions.get(key);
      if (mr == null) {
        return null;
      }
      last = mr;
    }
    return mr.isUsable() && mr.pd() == pd ? mr : null;
  }

  /** Returns the region of that key that the peer of {@code qp} may access in this way, or null. Does not check the rights of the queue pair itself. */
  public Mr findRemote(int key, QueuePair qp, long va, long length, int right) {
    Mr mr = find(key, qp.pd());
    return mr != null && (mr.access() & right) != 0 && mr.contains(va, length) && mr.serves(qp) ? mr : null;
  }

  boolean contains(Mr mr) {
    return regions.get(mr.lkey()) == mr;
  }

  int count() {
    return regions.size() - bindingCount;
  }

  public List<Mr> all() {
    return sorted(false);
  }

  public List<Mr> bindings() {
    return bindingCount == 0 ? List.of() : sorted(true);
  }

  private List<Mr> sorted(boolean bindings) {
    List<Mr> list = new ArrayList<>();
    for (Mr mr : regions.values()) {
      if ((mr.window() != null) == bindings) {
        list.add(mr);
      }
    }
    list.sort(Comparator.comparingLong(Mr::addr));
    return list;
  }
}
