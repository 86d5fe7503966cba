package dev.weft.fabric.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A packet is published with a release store, as Aeron does it; then the bell is rung. */
public class BellStress {
  private static final VarHandle PACKET;

  static {
    try {
      PACKET = MethodHandles.lookup().findVarHandle(Trunk.class, "packet", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static class Trunk {
    final BellMemory memory = new BellMemory();
    final Bell bell = memory.bell;
    int packet;

    void send() {
      PACKET.setRelease(this, 1);
      bell.ring();
    }

    /** The order in which the dispatcher goes to sleep; answers what the last look finds. */
    int announceAndLook() {
      bell.announceSleep();
      bell.listen();
      return (int) PACKET.getAcquire(this);
    }
  }

  /** First: the owner's last look found the packet; second: the owner was woken. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "sleeps beside a packet")
  @State
  public static class SeenOrRung extends Trunk {
    @Actor
    public void owner(II_Result r) {
      r.r1 = announceAndLook();
    }

    @Actor
    public void sender() {
      send();
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = memory.isAsleep() ? 0 : 1;
    }
  }
}
