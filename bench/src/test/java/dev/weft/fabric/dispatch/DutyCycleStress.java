package dev.weft.fabric.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Tasks of other threads run once each, in the order of their submitter, and see what it wrote before. */
public class DutyCycleStress {
  private abstract static class Tasks {
    final DutyCycle cycle = new DutyCycle(Dispatch.SETTINGS);
    int order;

    Runnable task(int id) {
      int[] written = new int[1];
      Runnable task = () -> order = order * 10 + written[0];
      written[0] = id;
      return task;
    }
  }

  @JCStressTest
  @Outcome(id = "12", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order or half written")
  @State
  public static class SubmitWhileRunning extends Tasks {
    @Actor
    public void submitter() {
      cycle.offerForeign(task(1));
      cycle.offerForeign(task(2));
    }

    @Actor
    public void hardware() {
      cycle.run();
    }

    @Arbiter
    public void end(I_Result r) {
      cycle.run();
      r.r1 = order;
    }
  }

  @JCStressTest
  @Outcome(id = {"12", "21"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class TwoSubmitters extends Tasks {
    @Actor
    public void first() {
      cycle.offerForeign(task(1));
    }

    @Actor
    public void second() {
      cycle.offerForeign(task(2));
    }

    @Arbiter
    public void end(I_Result r) {
      cycle.run();
      r.r1 = order;
    }
  }
}
