package dev.weft.hca.completion;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The hardware thread fills a completion queue while consumers arm and poll it. */
public class CompletionQueueStress {
  private static class Queue {
    final Cq cq;

    Queue(Cq cq) {
      this.cq = cq;
    }

    Queue() {
      this(new Cq(null, null, 4, 1, new CqExAttr(4, ReceiveContext.ISR, q -> {}, false, false), null));
    }

    /** As the HCA does it: an entry whose fields belong together. */
    void complete(int id, boolean solicited) {
      cq.claim().fill(1, id, WcStatus.SUCCESS, WcOpcode.SEND, id * 100);
      cq.push(solicited);
    }

    /** The number of the oldest entry, 0 if there is none, negative if its fields do not belong together. */
    int pollOne() {
      WorkCompletion wc = new WorkCompletion();
      return cq.poll(wc) ? idOf(wc) : 0;
    }

    static int idOf(WorkCompletion wc) {
      int id = (int) wc.wrId();
      return wc.byteLen() == id * 100 ? id : -1;
    }

    int notifications() {
      return (int) cq.notifications;
    }
  }

  /** First: what arming found, 1 if a completion; second: notifications; third: what polling after arming found. */
  @JCStressTest
  @Outcome(id = {"0, 1, 0", "0, 1, 1", "1, 1, 1", "1, 0, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "neither polled nor notified, or notified twice")
  @State
  public static class PolledOrNotified extends Queue {
    @Actor
    public void hardware() {
      complete(1, false);
    }

    @Actor
    public void consumer(III_Result r) {
      r.r1 = cq.arm(false) == CompletionQueue.Armed.ARMED ? 0 : 1;
      r.r3 = pollOne();
    }

    @Arbiter
    public void end(III_Result r) {
      r.r2 = notifications();
    }
  }

  /** Armed for solicited ones; the second of two completions is. */
  @JCStressTest
  @Outcome(id = {"0, 1", "1, 1", "1, 0", "2, 1", "2, 0"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "neither polled nor notified, or notified twice")
  @State
  public static class Solicited extends Queue {
    @Actor
    public void hardware() {
      complete(1, false);
      complete(2, true);
    }

    @Actor
    public void consumer(II_Result r) {
      cq.arm(true);
      r.r1 = pollOne() == 0 ? 0 : pollOne() == 0 ? 1 : 2;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = notifications();
      if (r.r1 < 2 && r.r2 == 0) {
        r.r1 = -1; // The solicited one was not seen.
      }
    }
  }

  /** Arming while the queue is disarmed by a completion: the second completion is polled or notified. */
  @JCStressTest
  @Outcome(id = {"1, 1", "1, 2", "2, 1", "2, 2", "0, 1", "0, 2"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a completion that nobody is told of")
  @State
  public static class Rearmed extends Queue {
    public Rearmed() {
      cq.arm(false);
    }

    @Actor
    public void hardware() {
      complete(1, false);
      complete(2, false);
    }

    @Actor
    public void consumer(II_Result r) {
      cq.arm(false);
      r.r1 = pollOne() == 0 ? 0 : pollOne() == 0 ? 1 : 2;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = notifications();
    }
  }

  /** First: disarming took the arming back; second: notifications. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "taken back and notified, or neither")
  @State
  public static class Disarmed extends Queue {
    public Disarmed() {
      cq.arm(false);
    }

    @Actor
    public void hardware() {
      complete(1, false);
    }

    @Actor
    public void consumer(II_Result r) {
      r.r1 = cq.disarm() ? 1 : 0;
    }

    @Arbiter
    public void end(II_Result r) {
      r.r2 = notifications();
    }
  }

  /** What is seen is whole, in order and seen once; in batches and, where nobody else polls, without a lock. */
  @JCStressTest
  @Outcome(id = "12", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order or half written")
  @State
  public static class Whole extends Queue {
    private int order;

    public Whole() {
      super(new Cq(null, null, 4, 1, new CqExAttr(4, ReceiveContext.POLLING, null, false, true), null));
    }

    @Actor
    public void hardware() {
      complete(1, false);
      complete(2, false);
    }

    @Actor
    public void consumer() {
      WorkCompletion[] into = {new WorkCompletion(), new WorkCompletion()};
      int count = cq.poll(into);
      for (int i = 0; i < count; i++) {
        order = order * 10 + idOf(into[i]);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      for (int id = pollOne(); id != 0; id = pollOne()) {
        order = order * 10 + id;
      }
      r.r1 = order;
    }
  }

  /** Between startPoll and endPoll. */
  @JCStressTest
  @Outcome(id = "12", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order or half written")
  @State
  public static class Batch extends Queue {
    private int order;

    @Actor
    public void hardware() {
      complete(1, false);
      complete(2, false);
    }

    @Actor
    public void consumer() {
      readBatch();
    }

    private void readBatch() {
      WorkCompletion wc = cq.startPoll();
      if (wc != null) {
        for (; wc != null; wc = cq.nextPoll()) {
          order = order * 10 + idOf(wc);
        }
        cq.endPoll(false);
      }
    }

    @Arbiter
    public void end(I_Result r) {
      readBatch();
      r.r1 = order;
    }
  }

  /** Two consumers and two completions. */
  @JCStressTest
  @Outcome(id = {"1, 2", "2, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost or twice")
  @State
  public static class TwoConsumers extends Queue {
    public TwoConsumers() {
      complete(1, false);
      complete(2, false);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = pollOne();
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = pollOne();
    }
  }

  /** The slot of a polled completion is filled again. */
  @JCStressTest
  @Outcome(id = {"10", "12"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "overwritten before it was read")
  @State
  public static class Reused extends Queue {
    private int order;

    public Reused() {
      super(new Cq(null, null, 1, 1, new CqExAttr(1, ReceiveContext.POLLING, null, false, false), null));
      complete(1, false);
    }

    @Actor
    public void hardware() {
      if (cq.claim() != null) {
        complete(2, false);
      }
    }

    @Actor
    public void consumer() {
      order = pollOne();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = order * 10 + pollOne();
    }
  }

  /** The ring is replaced while it is polled. */
  @JCStressTest
  @Outcome(id = "123", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice or out of order")
  @State
  public static class Resized extends Queue {
    /** On the thread that calls. */
    private static final HardwareCalls CALLS = new HardwareCalls("stress", HcaSettings.from(ConfigFactory.load()), () -> true, () -> null);
    private int order;

    public Resized() {
      super(new Cq(null, CALLS, 8, 1, new CqExAttr(2, ReceiveContext.POLLING, null, false, false), null));
      complete(1, false);
      complete(2, false);
    }

    @Actor
    public void hardware() {
      cq.resize(8);
      complete(3, false);
    }

    @Actor
    public void consumer() {
      order = pollOne();
      order = order * 10 + pollOne();
    }

    @Arbiter
    public void end(I_Result r) {
      r.r1 = order * 10 + pollOne();
    }
  }
}
