package dev.weft.dsm.sharing;

import dev.weft.dsm.sharing.SharingJudge.Sharing;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Counts what happens to the minipages of one home. In a ping-pong, a node gets back a minipage that the write of another node took from it. Words
 * are sampled from a minipage's first ping-pong on, so that a node that only filled the array does not count.
 */
public final class SharingStatistics implements HomeObserver {
  /** Words are sampled for one in this many counted minipages. */
  static final int TOUCHED_PART = 16;
  private static final int PAIRS_MAX = 8;

  private final int countedMax;
  private final int touchedMax;
  private final TreeMap<Integer, ArrayCounters> arrays = new TreeMap<>();
  private final Int2ObjectHashMap<MinipageCounters> minipages = new Int2ObjectHashMap<>();
  private int touched;
  private long uncounted;

  /** @param countedMax maximum number of minipages counted one by one; 0 to count for arrays only */
  public SharingStatistics(int countedMax) {
    this.countedMax = countedMax;
    this.touchedMax = (countedMax + TOUCHED_PART - 1) / TOUCHED_PART;
  }

  /**
   * Adds an array.
   *
   * @param site place in the program that made it; empty if unknown
   */
  public void add(ObjectSpec spec, String site) {
    arrays.put(spec.firstMinipage(), new ArrayCounters(spec, site));
  }

  /** Removes an array. */
  public void remove(ObjectSpec spec) {
    arrays.remove(spec.firstMinipage());
    minipages.values().removeIf(counters -> {
      boolean isOf = counters.array.spec.id() == spec.id();
      if (isOf && counters.touches != null) {
        touched--;
      }
      return isOf;
    });
  }

  @Override
  public void asked(int minipage, int node, boolean isWrite, int firstWord, int lastWord) {
    ArrayCounters array = arrayOf(minipage);
    if (array == null) {
      return;
    }
    if (isWrite) {
      array.writeFaults++;
    } else {
      array.readFaults++;
    }
    MinipageCounters counters = countersOf(minipage, array);
    if (counters == null) {
      uncounted++;
      return;
    }
    if (isWrite) {
      counters.writeFaults++;
    } else {
      counters.readFaults++;
    }
    if (counters.touches != null) {
      counters.touches.touch(node, isWrite, firstWord, lastWord);
    }
  }

  @Override
  public void served(int minipage, int node, boolean isWrite, int source, long victims) {
    ArrayCounters array = arrayOf(minipage);
    if (array == null) {
      return;
    }
    int index = minipage - array.spec.firstMinipage();
    long bytes = source < 0 ? 0 : array.spec.minipageBytes(index);
    array.bytesMoved += bytes;
    array.invalidations += Long.bitCount(victims);
    array.took(node, victims);
    MinipageCounters counters = countersOf(minipage, array);
    if (counters == null) {
      return;
    }
    counters.bytesMoved += bytes;
    counters.invalidations += Long.bitCount(victims);
    if (counters.served(node, victims)) {
      array.pingPongs++;
      counters.pingPongs++;
      if (counters.touches == null && touched < touchedMax) {
        touched++;
        counters.touches = new WordTouches(array.spec.minipageBytes(index));
      }
    }
  }

  @Override
  public long takenFrom(int minipage) {
    MinipageCounters counters = minipages.get(minipage);
    return counters == null ? 0 : counters.takenFrom;
  }

  @Override
  public void moved(int minipage, long takenFrom) {
    ArrayCounters array = arrayOf(minipage);
    MinipageCounters counters = array == null ? null : countersOf(minipage, array);
    if (counters != null) {
      counters.takenFrom = takenFrom;
    }
  }

  private ArrayCounters arrayOf(int minipage) {
    Map.Entry<Integer, ArrayCounters> found = arrays.floorEntry(minipage);
    return found != null && minipage < found.getKey() + found.getValue().spec.minipages() ? found.getValue() : null;
  }

  /** Returns null if there are too many. */
  private MinipageCounters countersOf(int minipage, ArrayCounters array) {
    MinipageCounters known = minipages.get(minipage);
    if (known == null && minipages.size() < countedMax) {
      known = new MinipageCounters(array, minipage - array.spec.firstMinipage());
      minipages.put(minipage, known);
    }
    return known;
  }

  /**
   * The counters.
   *
   * @param worstMax maximum number of minipages to list
   */
  public SharingReport report(int worstMax) {
    PriorityQueue<MinipageCounters> worst = new PriorityQueue<>(Comparator.comparingLong(MinipageCounters::trouble));
    Map<ArrayCounters, int[]> falselyShared = new java.util.IdentityHashMap<>();
    for (MinipageCounters counters : minipages.values()) {
      if (SharingJudge.judge(counters.pingPongs, counters.touches) == Sharing.FALSE) {
        falselyShared.computeIfAbsent(counters.array, unknown -> new int[1])[0]++;
      }
      if (counters.trouble() > 0) {
        worst.add(counters);
        if (worst.size() > worstMax) {
          worst.poll();
        }
      }
    }
    List<SharingReport.OfMinipage> named = new ArrayList<>();
    Map<String, Long> units = new TreeMap<>();
    worst.stream().sorted(Comparator.comparingLong(MinipageCounters::trouble).reversed().thenComparingInt(counters -> counters.index)).forEach(counters -> {
      SharingReport.OfMinipage one = report(counters);
      named.add(one);
      if (one.sharing().equals(word(Sharing.FALSE))) {
        units.merge(one.array(), one.unit(), Math::min);
      }
    });
    List<SharingReport.OfArray> all = new ArrayList<>();
    arrays.values().forEach(array -> all.add(report(array, falselyShared.getOrDefault(array, new int[1])[0], units.getOrDefault(array.spec.name(), 0L))));
    return new SharingReport(all, named, minipages.size(), uncounted);
  }

  private static SharingReport.OfArray report(ArrayCounters array, int falselyShared, long unit) {
    List<SharingReport.Pair> taken = new ArrayList<>();
    array.taken.forEach((key, times) -> taken.add(new SharingReport.Pair(ArrayCounters.taker(key), ArrayCounters.victim(key), times)));
    taken.sort(Comparator.comparingLong(SharingReport.Pair::times).reversed().thenComparingInt(SharingReport.Pair::by)
        .thenComparingInt(SharingReport.Pair::from));
    return new SharingReport.OfArray(array.spec.name(), array.spec.shape(), array.site, array.spec.strideBytes(), array.readFaults, array.writeFaults,
        array.invalidations, array.pingPongs, array.bytesMoved, falselyShared, unit, List.copyOf(taken.subList(0, Math.min(PAIRS_MAX, taken.size()))));
  }

  private static SharingReport.OfMinipage report(MinipageCounters counters) {
    ObjectSpec spec = counters.array.spec;
    WordTouches touches = counters.touches;
    Sharing sharing = SharingJudge.judge(counters.pingPongs, touches);
    long unit = sharing == Sharing.FALSE || sharing == Sharing.MIXED ? SharingJudge.unit(touches, counters.index, spec.strideBytes()) : 0;
    long start = counters.index * spec.strideBytes();
    List<SharingReport.Touched> nodes = new ArrayList<>();
    for (int nth = 0; touches != null && nth < touches.nodes(); nth++) {
      int first = touches.first(nth);
      if (first >= 0) {
        nodes.add(new SharingReport.Touched(touches.node(nth), element(spec, start + first * touches.chunkBytes()),
            element(spec, start + (touches.last(nth) + 1) * touches.chunkBytes() - 1), writes(touches, nth)));
      }
    }
    nodes.sort(Comparator.comparingInt(SharingReport.Touched::node));
    List<SharingReport.Pair> recent = new ArrayList<>();
    for (int nth = 0; nth < counters.pairs(); nth++) {
      recent.add(new SharingReport.Pair(counters.taker(nth), counters.victim(nth), 1));
    }
    return new SharingReport.OfMinipage(spec.name(), counters.index, element(spec, start), element(spec, start + spec.minipageBytes(counters.index) - 1),
        counters.readFaults, counters.writeFaults, counters.invalidations, counters.pingPongs, counters.bytesMoved, word(sharing), unit,
        touches == null ? 0 : touches.shared(), touches == null ? 0 : touches.apart(), List.copyOf(nodes), List.copyOf(recent));
  }

  private static boolean writes(WordTouches touches, int nth) {
    for (int chunk = 0; chunk < touches.chunks(); chunk++) {
      if ((touches.writers(chunk) & 1 << nth) != 0) {
        return true;
      }
    }
    return false;
  }

  private static long element(ObjectSpec spec, long offset) {
    return Math.min(offset / spec.kind().elementBytes(), spec.length() - 1);
  }

  private static String word(Sharing sharing) {
    return sharing.name().toLowerCase(Locale.ROOT);
  }
}
