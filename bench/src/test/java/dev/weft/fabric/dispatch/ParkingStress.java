package dev.weft.fabric.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Before the dedicated thread sleeps it sees the work, or else who brings the work wakes it. First: saw it; second: was woken. */
public class ParkingStress {
  private abstract static class WorkOrWake {
    private static final Thread NEVER_STARTED = Thread.ofPlatform().unstarted(() -> {});

    final Parking parking = new Parking(NEVER_STARTED);
    volatile int work;

    void sleeper(II_Result r) {
      parking.announce();
      r.r1 = work;
    }

    void submitter() {
      work = 1;
      if (parking.isParked()) {
        parking.wake();
      }
    }

    void afterwards(II_Result r) {
      r.r2 = parking.isParked() ? 0 : 1;
    }
  }

  /** With LockSupport. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work")
  @State
  public static class OnThread extends WorkOrWake {
    @Actor
    public void dedicated(II_Result r) {
      sleeper(r);
    }

    @Actor
    public void other() {
      submitter();
    }

    @Arbiter
    public void end(II_Result r) {
      afterwards(r);
    }
  }

  /** On a bell. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside work")
  @State
  public static class OnBell extends WorkOrWake {
    private final BellMemory memory = new BellMemory();

    public OnBell() {
      parking.useBell(memory.bell);
    }

    @Actor
    public void dedicated(II_Result r) {
      sleeper(r);
    }

    @Actor
    public void other() {
      submitter();
    }

    @Arbiter
    public void end(II_Result r) {
      afterwards(r);
      if (r.r2 == 1 && memory.isAsleep()) {
        r.r2 = 0;
      }
    }
  }
}
