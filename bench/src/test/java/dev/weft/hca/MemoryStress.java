package dev.weft.hca;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Atomics of peers beside local access to the same memory, counters that tell of bytes, and asynchronous events. */
public class MemoryStress {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private static class Region {
    static final HcaCore CORE = new Adapter(message -> false).hca.core();

    final MemorySegment segment = Arena.ofAuto().allocate(8, 8);
    final MemoryRegion mr = new MemoryRegion(null, segment, segment.address(), 1, Access.ALL, false, null);
  }

  /** Both add: what each saw before, and the sum. */
  @JCStressTest
  @Outcome(id = {"0, 1, 3", "2, 0, 3"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "an addition is lost")
  @State
  public static class FetchAndAdd extends Region {
    @Actor
    public void peer(JJJ_Result r) {
      r.r1 = CORE.fetchAndAdd(mr, mr.addr(), 1);
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
      r.r1 = CORE.compareAndSwap(mr, mr.addr(), 0, 1);
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

  /** Who sees the count sees the bytes. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 7", "1, 7"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "counted before its bytes are there")
  @State
  public static class Counted extends Region {
    private final CompletionCounter counter = new CompletionCounter(null, 1);

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

  /** First: arming found the event; second: times that the handler ran. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "an event that nobody is told of")
  @State
  public static class Event {
    private final AsyncEventQueue events = new AsyncEventQueue(4);
    private int handled;

    @Actor
    public void hardware() {
      events.add(new AsyncEvent(AsyncEvent.Type.COMM_EST, 1));
    }

    @Actor
    public void application(II_Result r) {
      r.r1 = events.arm(() -> handled++) ? 1 : 0;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = handled;
    }
  }

  /** Peers and application count on one counter. */
  @JCStressTest
  @Outcome(id = "4", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a completion is not counted")
  @State
  public static class CountedTogether {
    private final CompletionCounter counter = new CompletionCounter(null, 1);

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
