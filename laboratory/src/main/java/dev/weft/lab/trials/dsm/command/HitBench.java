package dev.weft.lab.trials.dsm.command;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Compares reads of data that a node has with reads of a plain array: 1 MiB of doubles in pages of 4 KiB, one thread, all patterns in turn. Each pass
 * adds up as many elements as the array has.
 */
final class HitBench {
  static final String NAME = "hits";
  private static final int ROW = SharingUnit.PAGE_BYTES / Double.BYTES;
  private static final int ROWS = 256;
  private static final int LENGTH = ROWS * ROW;
  private static final long SEED = 1;

  private final int passes;
  private final double[] plain = new double[LENGTH];
  private final double[] row = new double[ROW];
  private final Consumer<MemorySegment> add = this::add;
  private SharedDoubles shared;
  private double total;

  /** @param passes measured passes of each pattern; half as many before them warm up the compilers */
  HitBench(int passes) {
    this.passes = passes;
  }

  /** Returns microseconds for 1,000 elements, that is, nanoseconds for one. */
  List<Bench.Row> measure() {
    Config config = ConfigFactory.load();
    try (LocalFabric fabric = LocalFabric.start(config); DsmNode node = DsmNode.join(fabric, fabric.addNode("dsm-0"), NAME, "dsm-0")) {
      shared = node.doubles(NAME, LENGTH, SharingUnit.pages(1));
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < LENGTH; i++) {
        plain[i] = random.nextInt(1000); // Whole numbers: their sum is the same in any order.
        shared.set(i, plain[i]);
      }
      Map<String, DoubleSupplier> patterns = new LinkedHashMap<>();
      patterns.put("plain array, in order", this::plainInOrder);
      patterns.put("shared, in order, row by row", this::sharedByRow);
      patterns.put("shared, in order, copied row by row", this::sharedByCopiedRow);
      patterns.put("shared, in order, one by one", this::sharedInOrder);
      patterns.put("plain array, at random", this::plainAtRandom);
      patterns.put("shared, at random", this::sharedAtRandom);
      return measure(patterns);
    }
  }

  private List<Bench.Row> measure(Map<String, DoubleSupplier> patterns) {
    Map<String, LatencyRecorder> recorders = new LinkedHashMap<>();
    patterns.keySet().forEach(what -> recorders.put(what, new LatencyRecorder()));
    double inOrder = plainInOrder();
    double atRandom = plainAtRandom();
    for (int pass = -(passes + 1) / 2; pass < passes; pass++) {
      for (Map.Entry<String, DoubleSupplier> each : patterns.entrySet()) {
        long startNs = System.nanoTime();
        double sum = each.getValue().getAsDouble();
        long ns = System.nanoTime() - startNs;
        if (sum != (each.getKey().endsWith("random") ? atRandom : inOrder)) {
          throw new CommandFailure(each.getKey() + ": the sum is " + sum + ", must be " + inOrder + " in order and " + atRandom + " at random");
        }
        if (pass >= 0) {
          recorders.get(each.getKey()).record(Math.max(1, ns * 1000 / LENGTH));
        }
      }
    }
    List<Bench.Row> rows = new ArrayList<>();
    recorders.forEach((what, recorder) -> rows.add(new Bench.Row(what + ", 1,000 reads", recorder.summarise(1))));
    return rows;
  }

  private double plainInOrder() {
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
      sum += plain[i];
    }
    return sum;
  }

  private double sharedInOrder() {
    double sum = 0;
    for (int i = 0; i < LENGTH; i++) {
      sum += shared.get(i);
    }
    return sum;
  }

  private double sharedByRow() {
    total = 0;
    for (int start = 0; start < LENGTH; start += ROW) {
      shared.readInPlace(start, ROW, add);
    }
    return total;
  }

  private void add(MemorySegment held) {
    double sum = total;
    for (int i = 0; i < ROW; i++) {
      sum += held.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
    }
    total = sum;
  }

  private double sharedByCopiedRow() {
    double sum = 0;
    for (int start = 0; start < LENGTH; start += ROW) {
      shared.read(start, row, 0, ROW);
      for (int i = 0; i < ROW; i++) {
        sum += row[i];
      }
    }
    return sum;
  }

  private double plainAtRandom() {
    double sum = 0;
    long state = SEED;
    for (int i = 0; i < LENGTH; i++) {
      state = next(state);
      sum += plain[index(state)];
    }
    return sum;
  }

  private double sharedAtRandom() {
    double sum = 0;
    long state = SEED;
    for (int i = 0; i < LENGTH; i++) {
      state = next(state);
      sum += shared.get(index(state));
    }
    return sum;
  }

  /** Knuth's multiplier for 64 bits; the high bits are random enough. */
  private static long next(long state) {
    return state * 6364136223846793005L + 1442695040888963407L;
  }

  private static int index(long state) {
    return (int) (state >>> 40) & LENGTH - 1;
  }
}
