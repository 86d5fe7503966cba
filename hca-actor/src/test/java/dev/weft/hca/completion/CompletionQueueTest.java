package dev.weft.hca.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Polling, arming, notification, overrun. */
@Tag("simulation")
class CompletionQueueTest {
  private static WorkRequest write(Pair pair) {
    return pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  /** A pair whose side b receives on a queue that counts its notifications. */
  private static final class Notified implements AutoCloseable {
    final Pair pair = new Pair();
    final CompletionQueue cq;
    final QueuePair qp;
    int events;

    Notified() {
      cq = pair.b.hca.createCq(64, ReceiveContext.ISR, q -> events++);
      qp = pair.b.hca.createQp(pair.b.pd, new QpInitAttr(pair.b.sendCq, cq, 8, 32, 1, 1, 0, false));
      qp.modify(QpAttr.init(Access.ALL));
      pair.a.qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(pair.a.qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
      pair.a.qp.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
      qp.modify(QpAttr.rts(1));
      pair.a.qp.modify(QpAttr.rts(1));
      for (int i = 0; i < 32; i++) {
        qp.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, 0, 8));
      }
    }

    void send(boolean solicited) {
      WorkRequest wr = pair.a.wr.send().sge(pair.a.mr, 0, 8);
      pair.a.send(solicited ? wr.solicited() : wr);
      pair.run();
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  /** arm(). */
  @Nested
  class Arm {
    @Test
    void shouldNotifyOnceForEachArming() {
      try (Notified n = new Notified()) {
        n.send(false);
        assertEquals(0, n.events, "not armed");
        Pair.Side.drain(n.cq);
        n.cq.arm(false);
        n.cq.arm(false);
        n.send(false);
        n.send(false);
        assertEquals(1, n.events);
      }
    }

    @Test
    void shouldReportCompletionsThatArrivedBeforeTheArming() {
      try (Notified n = new Notified()) {
        assertEquals(CompletionQueue.Armed.ARMED, n.cq.arm(false));
        n.send(false);
        assertEquals(CompletionQueue.Armed.COMPLETIONS_WAITING, n.cq.arm(false));
        Pair.Side.drain(n.cq);
        n.send(false);
        assertEquals(2, n.events, "it was armed all the same");
      }
    }

    @Test
    void shouldNotifyOnlySolicitedReceivesWhenAskedSo() {
      try (Notified n = new Notified()) {
        n.cq.arm(true);
        n.send(false);
        assertEquals(0, n.events);
        n.send(true);
        assertEquals(1, n.events);
        assertEquals(2, Pair.Side.drain(n.cq).size());
      }
    }

    @Test
    void shouldNotifyAnErrorEvenWhenOnlySolicitedWasAsked() {
      try (Notified n = new Notified()) {
        n.cq.arm(true);
        n.qp.modify(new QpAttr().state(QpState.ERR));
        n.pair.run();
        assertEquals(1, n.events);
        assertEquals(32, Pair.Side.drain(n.cq).size());
      }
    }

    @Test
    void shouldLetAnyCompletionWinOverSolicitedOnly() {
      try (Notified n = new Notified()) {
        n.cq.arm(true);
        n.cq.arm(false);
        n.cq.arm(true);
        n.send(false);
        assertEquals(1, n.events);
      }
    }

    @Test
    void shouldNotTreatAnRdmaWriteAsSolicited() {
      try (Notified n = new Notified()) {
        n.cq.arm(false);
        n.pair.a.send(write(n.pair).sge(n.pair.a.mr, 0, 8).solicited());
        n.pair.run();
        assertEquals(0, n.events);
        assertEquals(0, n.cq.size());
      }
    }

    @Test
    void shouldNotifyACompletionThatComesBeforeTheQueuesActorRuns() {
      try (Pair pair = Pair.connected()) {
        int[] events = new int[1];
        CompletionQueue cq = pair.a.hca.createCq(4, ReceiveContext.ISR, q -> events[0]++);
        QueuePair qp = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(cq, 4));
        qp.modify(QpAttr.init(0));
        qp.postReceive(pair.a.rr.receive(1));
        cq.arm(false);
        qp.modify(new QpAttr().state(QpState.ERR));
        assertEquals(1, cq.size());
        pair.run();
        assertEquals(1, events[0]);
      }
    }
  }

  /** A consumer that does not poll. */
  @Nested
  class Overrun {
    @Test
    void shouldIsolateAnOverrunToThatQueueAndItsQueuePairs() {
      try (Pair pair = Pair.of(new Pair.QpShape(64, 4, false)).connect(attr -> {})) {
        CompletionQueue other = pair.a.hca.createCq(64, ReceiveContext.POLLING, null);
        QueuePair healthy = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(other, 16));
        QueuePair idle = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 16));
        QueuePair peer = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(pair.b.sendCq, 16));
        connect(pair, healthy, peer);
        pair.a.events();
        for (int i = 0; i < 8; i++) {
          pair.a.send(write(pair).wrId(i).signaled());
        }
        pair.run();
        assertTrue(pair.a.sendCq.isOverrun());
        assertEquals(QpState.ERR, pair.a.qp.state());
        assertEquals(QpState.RESET, idle.state());
        assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.CQ_ERR, pair.a.sendCq.number()),
            new AsyncEvent(AsyncEvent.Type.QP_FATAL, pair.a.qp.qpNum())), pair.a.events());
        assertEquals(4, pair.a.sent().size(), "what had fitted is there");
        assertEquals(QpState.RTS, healthy.state());
        healthy.postSend(write(pair).wrId(5).signaled());
        pair.run();
        assertTrue(Pair.Side.drain(other).getFirst().isSuccess());
      }
    }

    @Test
    void shouldHoldExactlyItsCapacity() {
      try (Pair pair = Pair.of(new Pair.QpShape(64, 5, false)).connect(attr -> {})) {
        for (int i = 0; i < 5; i++) {
          pair.a.send(write(pair).wrId(i).signaled());
        }
        pair.run();
        assertFalse(pair.a.sendCq.isOverrun());
        assertEquals(5, pair.a.sent().size());
      }
    }
  }

  private static void connect(Pair pair, QueuePair a, QueuePair b) {
    a.modify(QpAttr.init(Access.ALL));
    b.modify(QpAttr.init(Access.ALL));
    a.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(b.qpNum()).rqPsn(9).pathMtu(Pair.MTU));
    b.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(a.qpNum()).rqPsn(9).pathMtu(Pair.MTU));
    a.modify(QpAttr.rts(9));
    b.modify(QpAttr.rts(9));
  }

  /** Which requests complete. */
  @Nested
  class Signaling {
    @Test
    void shouldCompleteOnlySignaledRequestsAndStillFreeTheOthers() {
      try (Pair pair = Pair.connected()) {
        for (int round = 0; round < 10; round++) {
          for (int i = 0; i < 60; i++) {
            WorkRequest wr = write(pair).wrId(i);
            pair.a.send(i % 20 == 19 ? wr.signaled() : wr);
          }
          pair.run();
          assertEquals(List.of(19L, 39L, 59L), pair.a.sent().stream().map(WorkCompletion::wrId).toList());
          assertEquals(0, pair.a.qp.sendQueueSize());
        }
      }
    }

    @Test
    void shouldCompleteEveryRequestOfASigAllQueue() {
      try (Pair pair = Pair.of(new Pair.QpShape(64, 256, true)).connect(attr -> {})) {
        for (int i = 0; i < 10; i++) {
          pair.a.send(write(pair));
        }
        pair.run();
        assertEquals(10, pair.a.sent().size());
      }
    }

    @Test
    void shouldSayWhichOfManyQueuePairsOnOneQueueACompletionIsOf() {
      try (Pair pair = new Pair()) {
        QueuePair[] own = new QueuePair[8];
        for (int i = 0; i < 8; i++) {
          own[i] = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 16));
          connect(pair, own[i], pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(pair.b.sendCq, 16)));
        }
        for (int k = 0; k < 10; k++) {
          for (int i = 0; i < 8; i++) {
            own[i].postSend(write(pair).sge(pair.a.mr, 0, 700 * i).wrId(100 * i + k).signaled());
          }
        }
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(80, all.size());
        for (int i = 0; i < 8; i++) {
          int qpNum = own[i].qpNum();
          long base = 100L * i;
          assertEquals(java.util.stream.LongStream.range(base, base + 10).boxed().toList(),
              all.stream().filter(wc -> wc.qpNum() == qpNum).map(WorkCompletion::wrId).toList());
        }
      }
    }
  }
}
