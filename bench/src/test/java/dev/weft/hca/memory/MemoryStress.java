package dev.weft.hca.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weft.hca.verbs.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.SplittableRandom;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Atomics of peers beside local access to the same memory. */
public class MemoryStress {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private static class Region {
    static final MemoryAccess ACCESS = new MemoryAccess(new MrTable(new SplittableRandom(1), 1), new UnpinnedMemory(() -> {}));

    final MemorySegment segment = Arena.ofAuto().allocate(8, 8);
    final Mr mr = new Mr(null, segment, segment.address(), 1, Access.ALL, false, false, null);
  }

  /** Both add: what each saw before, and the sum. */
  @JCStressTest
  @Outcome(id = {"0, 1, 3", "2, 0, 3"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "an addition is lost")
  @State
  public static class FetchAndAdd extends Region {
    @Actor
    public void peer(JJJ_Result r) {
      r.r1 = ACCESS.fetchAndAdd(mr, mr.addr(), 1);
    }

    @Actor
    public void application(JJJ_Result r) {
      r.r2 = (long) LONG.getAndAdd(segment, 0L, 2L);
    }

    @Arbiter
    public void end(JJJ_Result r) {
      r.r3 = segment.get(ValueLayout.JAVA_LONG, 0);
    }
  }

  /** Both want the word: what the peer saw, whether the application got it, and who has it. */
  @JCStressTest
  @Outcome(id = {"0, 0, 1", "2, 1, 2"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "both or none have it")
  @State
  public static class CompareAndSwap extends Region {
    @Actor
    public void peer(JJJ_Result r) {
      r.r1 = ACCESS.compareAndSwap(mr, mr.addr(), 0, 1);
    }

    @Actor
    public void application(JJJ_Result r) {
      r.r2 = LONG.compareAndSet(segment, 0L, 0L, 2L) ? 1 : 0;
    }

    @Arbiter
    public void end(JJJ_Result r) {
      r.r3 = segment.get(ValueLayout.JAVA_LONG, 0);
    }
  }
}
