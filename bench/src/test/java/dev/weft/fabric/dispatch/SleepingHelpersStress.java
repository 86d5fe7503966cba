package dev.weft.fabric.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A helper goes to sleep while its reply comes. First: it saw the reply, or slept too briefly to tell; second: the hardware saw the
 * helper, and so wakes it.
 */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
@Outcome(expect = FORBIDDEN, desc = "sleeps beside its reply")
@State
public class SleepingHelpersStress {
  private static final int SPINS = 2_000;

  private final SleepingHelpers sleepers = new SleepingHelpers();
  private volatile boolean replied;
  private Thread hardware;
  private volatile boolean hardwareIsDone;
  private boolean seen;
  private boolean woken;

  private boolean isServed() {
    boolean now = replied;
    if (Thread.currentThread() == hardware) {
      woken = now;
    } else {
      seen = now || sleepEndsEarly();
    }
    return now;
  }

  /** Stands for a sleep of useful length; whether it ended before the hardware had looked. */
  private boolean sleepEndsEarly() {
    for (int i = 0; i < SPINS && !hardwareIsDone; i++) {
      Thread.onSpinWait();
    }
    return !hardwareIsDone;
  }

  @Actor
  public void helper() {
    sleepers.sleep(Thread.currentThread(), this::isServed, this::isServed, 1);
  }

  @Actor
  public void hardware() {
    hardware = Thread.currentThread();
    replied = true;
    sleepers.wakeServed();
    hardwareIsDone = true;
  }

  @Arbiter
  public void end(II_Result r) {
    r.r1 = seen ? 1 : 0;
    r.r2 = woken ? 1 : 0;
  }
}
