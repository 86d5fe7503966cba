package dev.weft.hca.completion;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Counters that tell of bytes. */
public class CounterStress {
  /** Who sees the count sees the bytes. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 7", "1, 7"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "counted before its bytes are there")
  @State
  public static class Counted {
    private final MemorySegment segment = Arena.ofAuto().allocate(8, 8);
    private final CompCounter counter = new CompCounter(null, 1);

    @Actor
    public void hardware() {
      segment.set(ValueLayout.JAVA_LONG, 0, 7);
      counter.completed(true);
    }

    @Actor
    public void application(II_Result r) {
      r.r1 = (int) counter.count();
      r.r2 = (int) segment.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Peers and application count on one counter. */
  @JCStressTest
  @Outcome(id = "4", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a completion is not counted")
  @State
  public static class CountedTogether {
    private final CompCounter counter = new CompCounter(null, 1);

    @Actor
    public void hardware() {
      counter.completed(true);
    }

    @Actor
    public void application() {
      counter.add(3);
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = (int) counter.count();
    }
  }
}
