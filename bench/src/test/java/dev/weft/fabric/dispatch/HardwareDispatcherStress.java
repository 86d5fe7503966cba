package dev.weft.fabric.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Work that comes while the dedicated thread goes to sleep. First: it sleeps and was not woken; second: there is work left. */
public class HardwareDispatcherStress {
  private abstract static class Work extends Dispatch {
    private final int tasks;

    Work(boolean withBell, int tasks) {
      super(withBell);
      this.tasks = tasks;
    }

    abstract void act();

    boolean hasWork() {
      return hasTasks();
    }

    void judge(II_Result r) {
      r.r1 = isAsleep() ? 1 : 0;
      r.r2 = hasWork() ? 1 : runs == tasks ? 0 : -1;
      end();
    }
  }

  /** From a thread that goes on. */
  private abstract static class Submit extends Work {
    Submit(boolean withBell) {
      super(withBell, 1);
    }

    @Override
    void act() {
      dispatcher.execute(() -> runs++);
    }
  }

  /** From a thread that promised to help and does not. */
  private abstract static class BrokenPromise extends Work {
    BrokenPromise(boolean withBell) {
      super(withBell, 1);
    }

    @Override
    void act() {
      HardwareDispatcher.DeferredWake scope = dispatcher.deferWake();
      dispatcher.execute(() -> runs++);
      scope.close();
    }
  }

  /** From a thread that helps with one task and leaves another behind. */
  private abstract static class Help extends Work {
    private static final long HELP_NS = 5_000_000_000L;
    private volatile boolean replied;

    Help(boolean withBell) {
      super(withBell, 3);
    }

    @Override
    void act() {
      try (HardwareDispatcher.DeferredWake ignored = dispatcher.deferWake()) {
        dispatcher.execute(() -> runs++);
        dispatcher.execute(this::reply);
        dispatcher.help(() -> replied, HELP_NS);
      }
    }

    private void reply() {
      runs++;
      dispatcher.execute(() -> runs++); // A local task: this is the hardware thread, whoever that is now.
      replied = true;
    }
  }

  /** A packet from another JVM, which rings after it has published. */
  private abstract static class Ring extends Work implements Poller {
    private volatile boolean published;

    Ring(boolean withBell) {
      super(withBell, 1);
      dispatcher.addPoller(this);
    }

    @Override
    public int poll() {
      if (!published || runs > 0) {
        return 0;
      }
      runs++;
      return 1;
    }

    @Override
    public boolean isRung() {
      return true;
    }

    @Override
    void act() {
      published = true;
      memory.bell.ring();
    }

    @Override
    boolean hasWork() {
      return runs == 0;
    }
  }

  /** A task, for a thread that parks. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class SubmitToThread extends Submit {
    public SubmitToThread() {
      super(false);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A task, for a thread that sleeps on its bell. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class SubmitToBell extends Submit {
    public SubmitToBell() {
      super(true);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A task of a deferred wake-up, for a thread that parks. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class PromiseToThread extends BrokenPromise {
    public PromiseToThread() {
      super(false);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A task of a deferred wake-up, for a thread that sleeps on its bell. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class PromiseToBell extends BrokenPromise {
    public PromiseToBell() {
      super(true);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A helper beside a thread that parks. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class HelpThread extends Help {
    public HelpThread() {
      super(false);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A helper beside a thread that sleeps on its bell. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class HelpOnBell extends Help {
    public HelpOnBell() {
      super(true);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }

  /** A packet, for a thread that sleeps on its bell. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1", "1, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work, or two threads have run tasks at once")
  @State
  public static class RingBell extends Ring {
    public RingBell() {
      super(true);
    }

    @Actor
    public void dedicated() {
      runUntilSleep();
    }

    @Actor
    public void other() {
      act();
    }

    @Arbiter
    public void afterwards(II_Result r) {
      judge(r);
    }
  }
}
