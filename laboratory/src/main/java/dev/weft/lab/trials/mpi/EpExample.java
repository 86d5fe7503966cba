package dev.weft.lab.trials.mpi;

import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Datatype;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.Op;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Embarrassingly parallel, class S of the NAS Parallel Benchmarks. Of 2^24 pairs of random numbers, those in the unit circle become pairs of Gaussian
 * deviates, which are summed and counted by square annulus. Written from the specification (RNR-94-007, section 3.1), which publishes the sums and
 * counts.
 */
public final class EpExample implements Example {
  private static final long SEED = 271_828_183L;
  private static final long PAIRS = 1L << 24;
  private static final int ANNULI = 10;
  private static final double ERROR_MAX = 1e-8;
  /** Published sums of class S. */
  private static final double SX = -3.247834652034740e+3;
  private static final double SY = -6.958407078382297e+3;
  /** Published counts of class S. */
  private static final long[] COUNTS = {6_140_517, 5_865_300, 1_100_361, 68_546, 1_648, 17, 0, 0, 0, 0};

  @Override
  public String name() {
    return "ep";
  }

  @Override
  public String description() {
    return "NAS EP class S, 2^24 pairs of deviates; checks published sums and counts";
  }

  @Override
  public Outcome run(Communicator world) {
    long first = PAIRS * world.rank() / world.size();
    long end = PAIRS * (world.rank() + 1) / world.size();
    NasRandom random = new NasRandom(SEED, 2 * first);
    double sx = 0;
    double sy = 0;
    long[] counts = new long[ANNULI];
    for (long pair = first; pair < end; pair++) {
      double x = 2 * random.next() - 1;
      double y = 2 * random.next() - 1;
      double t = x * x + y * y;
      if (t <= 1) {
        double scale = Math.sqrt(-2 * Math.log(t) / t);
        sx += x * scale;
        sy += y * scale;
        counts[(int) Math.max(Math.abs(x * scale), Math.abs(y * scale))]++;
      }
    }
    return verified(reduced(world, sx, sy), reduced(world, counts));
  }

  private static MemorySegment reduced(Communicator world, double... mine) {
    MemorySegment send = Mpi.allocate(8L * mine.length);
    MemorySegment all = Mpi.allocate(8L * mine.length);
    MemorySegment.copy(mine, 0, send, ValueLayout.JAVA_DOUBLE, 0, mine.length);
    world.allreduce(send, all, Datatype.DOUBLE, Op.SUM);
    return all;
  }

  private static MemorySegment reduced(Communicator world, long[] mine) {
    MemorySegment send = Mpi.allocate(8L * mine.length);
    MemorySegment all = Mpi.allocate(8L * mine.length);
    MemorySegment.copy(mine, 0, send, ValueLayout.JAVA_LONG, 0, mine.length);
    world.allreduce(send, all, Datatype.LONG, Op.SUM);
    return all;
  }

  private static Outcome verified(MemorySegment sums, MemorySegment counts) {
    double sx = sums.getAtIndex(ValueLayout.JAVA_DOUBLE, 0);
    double sy = sums.getAtIndex(ValueLayout.JAVA_DOUBLE, 1);
    boolean right = Math.abs((sx - SX) / SX) <= ERROR_MAX && Math.abs((sy - SY) / SY) <= ERROR_MAX;
    List<Long> annuli = new ArrayList<>();
    for (int i = 0; i < ANNULI; i++) {
      annuli.add(counts.getAtIndex(ValueLayout.JAVA_LONG, i));
      right &= annuli.get(i) == COUNTS[i];
    }
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("sx", sx);
    values.put("sxPublished", SX);
    values.put("sy", sy);
    values.put("syPublished", SY);
    values.put("counts", annuli);
    return new Outcome(right, values);
  }
}
