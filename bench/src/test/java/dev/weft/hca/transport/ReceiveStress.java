package dev.weft.hca.transport;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.weft.fabric.packet.Opcode;
import dev.weft.hca.device.Adapter;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SrqAttr;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A receive is posted while a message comes that needs one. */
public class ReceiveStress {
  /** First: the message took the receive; second: the HCA was told of the receive, and then tells the sender. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "the sender waits beside a receive")
  @State
  public static class Own {
    private final Adapter adapter = new Adapter(QueueMessage.ReceivePosted.class::isInstance);
    private final QueuePair qp = adapter.connected(QpType.RC, null);

    @Actor
    public void hardware() {
      adapter.receive(adapter.fromPeer(qp, Opcode.RC_SEND_ONLY));
    }

    @Actor
    public void application() {
      qp.postReceive(new ReceiveRequest().receive(1));
    }

    @Arbiter
    public void end(II_Result r) {
      r.r1 = adapter.cq.size();
      r.r2 = adapter.told();
    }
  }

  /** The same with a receive queue that is shared. */
  @JCStressTest
  @Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "the sender waits beside a receive")
  @State
  public static class Shared {
    private final Adapter adapter = new Adapter(QueueMessage.SharedReceivePosted.class::isInstance);
    private final Srq srq = (Srq) adapter.hca.createSrq(adapter.pd, new SrqAttr(4, 1, 0));
    private final QueuePair qp = adapter.connected(QpType.RC, srq);

    @Actor
    public void hardware() {
      adapter.receive(adapter.fromPeer(qp, Opcode.RC_SEND_ONLY));
    }

    @Actor
    public void application() {
      srq.postReceive(new ReceiveRequest().receive(1));
    }

    @Arbiter
    public void end(II_Result r) {
      r.r1 = adapter.cq.size();
      r.r2 = adapter.told();
    }
  }

  /** A second queue pair begins to wait while the HCA serves the first, which a receive was posted for. */
  @JCStressTest
  @Outcome(id = {"0, 2", "1, 1", "1, 2"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "a sender waits beside a receive")
  @State
  public static class SharedAgain {
    private final Adapter adapter = new Adapter(QueueMessage.SharedReceivePosted.class::isInstance);
    private final Srq srq = (Srq) adapter.hca.createSrq(adapter.pd, new SrqAttr(4, 1, 0));
    private final Qp second = (Qp) adapter.connected(QpType.RC, srq);

    public SharedAgain() {
      QueuePair first = adapter.connected(QpType.RC, srq);
      adapter.receive(adapter.fromPeer(first, Opcode.RC_SEND_ONLY));
      srq.postReceive(new ReceiveRequest().receive(1));
    }

    @Actor
    public void hardware() {
      srq.wake();
      ReceiveSource tap = srq.tap(second);
      tap.take();
      tap.done();
      second.rnrOwed = true;
      tap.awaitPost();
    }

    @Actor
    public void application() {
      srq.postReceive(new ReceiveRequest().receive(2));
    }

    @Arbiter
    public void end(II_Result r) {
      r.r1 = srq.size();
      r.r2 = adapter.told();
    }
  }

  /** Receives are taken whole, in order, once. */
  @JCStressTest
  @Outcome(id = {"12", "123"}, expect = ACCEPTABLE)
  @Outcome(expect = FORBIDDEN, desc = "lost, twice, overwritten or half written")
  @State
  public static class Ring {
    private final ReceiveQueue ring = new ReceiveQueue(2);
    private ReceiveQueue.Wqe spare = new ReceiveQueue.Wqe();
    private int order;

    public Ring() {
      post(1);
    }

    private void post(int id) {
      if (!ring.isFull()) {
        ring.post(new ReceiveRequest().receive(id).sge(id * 100L, id, id));
      }
    }

    private void take() {
      for (ReceiveQueue.Wqe wqe = ring.exchange(spare); wqe != null; wqe = ring.exchange(spare)) {
        order = order * 10 + (wqe.length == wqe.wrId && wqe.sgList.address(0) == wqe.wrId * 100 ? (int) wqe.wrId : -1);
        spare = wqe;
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
