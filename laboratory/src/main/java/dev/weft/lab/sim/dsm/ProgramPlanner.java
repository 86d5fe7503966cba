package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Draw;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Draws the programs of threads. Each kind of operation is present or not, with a weight of its own, the same for all threads of a run. */
final class ProgramPlanner {
  private static final int WEIGHT_MAX = 6;
  /** In some runs copies are shared long enough for something to happen to them. */
  private static final int READS_MORE = 8;
  private static final int OPS_MIN = 10;
  private static final int BULK_MAX = 8;
  private static final Set<OpKind> ALWAYS = EnumSet.of(OpKind.READ, OpKind.WRITE);

  private final List<SharedArray> arrays;
  private final int locks;
  private final int rounds;
  private final int opsMax;
  private final int[] weights = new int[OpKind.values().length];
  private final int opsTypical;
  private final double pauseMaxNs;
  private final double idle;

  ProgramPlanner(Draw draw, List<SharedArray> arrays, int locks, int rounds, int opsMax) {
    this.arrays = arrays;
    this.locks = locks;
    this.rounds = rounds;
    this.opsMax = opsMax;
    boolean mostlyReads = draw.chance(0.4);
    for (OpKind kind : OpKind.values()) {
      boolean isThere = draw.chance(0.6) || ALWAYS.contains(kind);
      int weight = draw.between(1, WEIGHT_MAX);
      int times = mostlyReads && !kind.isWrite() ? READS_MORE : 1;
      weights[kind.ordinal()] = isThere && kind != OpKind.BARRIER ? weight * times : 0;
    }
    opsTypical = (int) draw.logarithmic(OPS_MIN, DsmOptions.OPS_MAX + 1.0);
    pauseMaxNs = draw.logarithmic(500, 50_000);
    idle = draw.pick(0, 3, 7) / 10.0;
  }

  /** The program of one thread. */
  List<Step> plan(Draw draw) {
    int ops = Math.min(opsMax, Math.min(DsmOptions.OPS_MAX, Math.max(OPS_MIN, opsTypical + draw.between(-5, 5))));
    List<Step> steps = new ArrayList<>();
    int round = 0;
    for (int i = 0; i < ops; i++) {
      steps.add(step(draw));
      // All threads have the same number of rounds, however they are shrunk.
      while (round < rounds && (round + 1) * ops / (rounds + 1) <= i + 1) {
        steps.add(new Step(OpKind.BARRIER, 0, round++, 0, 0, false, pause(draw)));
      }
    }
    return steps;
  }

  private Step step(Draw draw) {
    OpKind kind = kind(draw);
    long amountNs = (long) draw.logarithmic(100, 200_000);
    boolean isForAll = draw.chance(0.5);
    if (kind.isLocked()) {
      return new Step(kind, draw.between(0, locks - 1), 0, 1, amountNs, isForAll, pause(draw));
    }
    boolean isBlock = kind == OpKind.BLOCK_READ || kind == OpKind.BLOCK_WRITE;
    int array = isBlock ? arrays.size() - 2 : draw.between(0, arrays.size() - 3);
    SharedArray shared = arrays.get(array);
    int index = shared.hot()[draw.between(0, shared.hot().length - 1)];
    boolean isSingle = kind.ordinal() <= OpKind.COMPARE_AND_SET.ordinal() || isBlock;
    int count = isSingle ? 1 : draw.between(1, Math.min(BULK_MAX, shared.length() - index));
    return new Step(kind, array, index, count, amountNs, isForAll, pause(draw));
  }

  private OpKind kind(Draw draw) {
    int sum = 0;
    for (int weight : weights) {
      sum += weight;
    }
    int left = draw.between(0, sum - 1);
    int at = 0;
    while (left >= weights[at]) {
      left -= weights[at++];
    }
    return OpKind.values()[at];
  }

  private long pause(Draw draw) {
    long pauseNs = (long) draw.logarithmic(100, pauseMaxNs);
    return draw.chance(idle) ? 0 : pauseNs;
  }
}
