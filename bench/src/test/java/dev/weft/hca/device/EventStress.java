package dev.weft.hca.device;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weft.hca.verbs.AsyncEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Asynchronous events come while they are asked for. */
public class EventStress {
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
}
