package dev.weft.hca.transport;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weft.hca.device.Adapter;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Posting to a queue pair beside the hardware thread. */
public class SendStress {
  /** An HCA that is awake for a queue pair with one request posted. */
  private abstract static class Awake {
    private final Adapter adapter = new Adapter(QueueMessage.Doorbell.class::isInstance);
    final QueuePair qp;

    Awake(QpType type) {
      qp = adapter.connected(type, null);
      post(1);
    }

    void post(int id) {
      qp.postSend(new WorkRequest().send().wrId(id));
    }

    /** What the HCA's actor does when it is told of a doorbell. */
    void onDoorbell() {
      adapter.onDoorbell(qp);
    }

    int doorbells() {
      return adapter.told();
    }

    int completions() {
      return adapter.cq.size();
    }
  }

  /** The HCA is awake, finds nothing more, and goes to sleep. First: doorbells; second: the request has completed without one. */
  @JCStressTest
  @Outcome(id = {"0, 1", "1, 0", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a request lies in the queue and no doorbell was rung for it, or several were")
  @State
  public static class Doorbell extends Awake {
    private static final VarHandle DOORBELL;

    static {
      try {
        DOORBELL = MethodHandles.privateLookupIn(Qp.class, MethodHandles.lookup())
            .findVarHandle(Qp.class, "doorbell", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    public Doorbell() {
      super(QpType.UC);
      onDoorbell();
      DOORBELL.setVolatile(qp, 1); // As after a doorbell whose request was sent already.
    }

    @Actor
    public void hardware() {
      onDoorbell();
    }

    @Actor
    public void application() {
      post(2);
    }

    @Arbiter
    public void end(II_Result r) {
      r.r1 = doorbells() - 1;
      r.r2 = completions() - 1;
    }
  }

  /** Two threads post while the hardware sleeps: one doorbell, both requests. */
  @JCStressTest
  @Outcome(id = "2, 3", expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a request or its doorbell is lost, or rung twice")
  @State
  public static class TwoPosters extends Awake {
    public TwoPosters() {
      super(QpType.UC);
      onDoorbell();
    }

    @Actor
    public void first() {
      post(2);
    }

    @Actor
    public void second() {
      post(3);
    }

    @Arbiter
    public void end(II_Result r) {
      r.r1 = doorbells();
      onDoorbell();
      r.r2 = completions();
    }
  }

  /**
   * A full queue, and a completion queue just as large that is full too. Who polls makes room in both: what is posted into the slot that
   * has come back finds a place there when it completes.
   */
  @JCStressTest
  @Outcome(id = {"0, 3", "0, 4"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "the completion queue was overrun")
  @State
  public static class SlotComesBack {
    private static final int DEPTH = 4;

    private final Adapter adapter = new Adapter(message -> false);
    private final CompletionQueue cq = adapter.hca.createCq(DEPTH, ReceiveContext.POLLING, null);
    private final QueuePair qp = adapter.connected(QpType.UC, null, cq);

    public SlotComesBack() {
      for (int i = 0; i < DEPTH; i++) {
        qp.postSend(new WorkRequest().send());
      }
      hardware();
    }

    @Actor
    public void poller() {
      cq.poll(new WorkCompletion());
    }

    @Actor
    public void application() {
      try {
        qp.postSend(new WorkRequest().send());
      } catch (VerbsException full) {
        // The poller was later.
      }
    }

    @Actor
    public final void hardware() {
      adapter.onDoorbell(qp);
    }

    @Arbiter
    public void end(II_Result r) {
      hardware();
      r.r1 = cq.isOverrun() ? 1 : 0;
      r.r2 = cq.size();
    }
  }

  /** The hardware thread sees whole requests in order, and frees slots that are filled again. */
  @JCStressTest
  @Outcome(id = {"12", "123"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, overwritten or half written")
  @State
  public static class Ring {
    private final SendQueue ring = new SendQueue(2, 8, java.lang.foreign.Arena.ofAuto().allocate(SendQueue.inlineBytes(2, 8), 8));
    private long next;
    private int order;

    public Ring() {
      post(1);
    }

    private void post(int id) {
      if (!ring.isFull()) {
        ring.slot(ring.tail()).load(new WorkRequest().write(id * 100L, id).wrId(id));
        ring.publish();
      }
    }

    private void take() {
      for (; next < ring.tail(); next++) {
        SendWqe wqe = ring.slot(next);
        order = order * 10 + (wqe.remoteAddr == wqe.wrId * 100 && wqe.rkey == wqe.wrId ? (int) wqe.wrId : -1);
        ring.complete(next + 1);
        ring.room.polled(next + 1);
      }
    }

    @Actor
    public void application() {
      post(2);
      post(3);
    }

    @Actor
    public void hardware() {
      take();
    }

    @Arbiter
    public void end(I_Result r) {
      take();
      r.r1 = order;
    }
  }
}
