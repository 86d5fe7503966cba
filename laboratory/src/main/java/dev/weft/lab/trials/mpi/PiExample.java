package dev.weft.lab.trials.mpi;

import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Datatype;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.Op;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** The integral of 4 / (1 + x²) from 0 to 1, a stripe for each rank. */
public final class PiExample implements Example {
  private static final int INTERVALS = 10_000_000;
  private static final double ERROR_MAX = 1e-11;

  @Override
  public String name() {
    return "pi";
  }

  @Override
  public String description() {
    return "pi by integration over " + INTERVALS + " intervals; compares with Math.PI";
  }

  @Override
  public Outcome run(Communicator world) {
    MemorySegment count = Mpi.allocate(4);
    if (world.rank() == 0) {
      count.set(ValueLayout.JAVA_INT, 0, INTERVALS);
    }
    world.bcast(count, 0);
    int intervals = count.get(ValueLayout.JAVA_INT, 0);
    double width = 1.0 / intervals;
    double sum = 0;
    for (int i = world.rank(); i < intervals; i += world.size()) {
      double x = (i + 0.5) * width;
      sum += 4 / (1 + x * x);
    }
    MemorySegment mine = Mpi.allocate(8);
    mine.set(ValueLayout.JAVA_DOUBLE, 0, sum * width);
    MemorySegment all = Mpi.allocate(8);
    world.reduce(mine, all, Datatype.DOUBLE, Op.SUM, 0);
    double pi = all.get(ValueLayout.JAVA_DOUBLE, 0);
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("pi", pi);
    values.put("error", Math.abs(pi - Math.PI));
    return new Outcome(Math.abs(pi - Math.PI) <= ERROR_MAX, values);
  }
}
