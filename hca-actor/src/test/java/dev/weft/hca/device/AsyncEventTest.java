package dev.weft.hca.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Asynchronous events: what they carry, and how one waits for them. */
@Tag("simulation")
class AsyncEventTest {
  private static List<AsyncEvent.Type> types(Pair.Side side) {
    return side.events().stream().map(AsyncEvent::type).toList();
  }

  /** A shared queue under a completion queue that is too short: its limit, the overrun, and the end of the queue pair. */
  @Test
  void shouldCarryLimitOverrunFatalAndLastReceiveInTheOrderInWhichTheyHappen() {
    try (Pair pair = Pair.connected()) {
      SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(8, 1, 0));
      CompletionQueue cq = pair.b.hca.createCq(1, ReceiveContext.POLLING, null);
      QueuePair to = pair.b.hca.createQp(pair.b.pd, new QpInitAttr(pair.b.sendCq, cq, 4, 0, 1, 0, 0, false).withSrq(srq));
      QueuePair from = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 4));
      for (QueuePair qp : List.of(to, from)) {
        qp.modify(QpAttr.init(Access.ALL));
        qp.modify(QpAttr.rtr().destLid(qp == from ? pair.b.hca.lid() : pair.a.hca.lid())
            .destQpNum((qp == from ? to : from).qpNum()).rqPsn(1).pathMtu(Pair.MTU));
        qp.modify(QpAttr.rts(1));
      }
      for (int i = 0; i < 4; i++) {
        srq.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, 0, 64));
      }
      srq.arm(4);
      pair.b.events();
      from.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 8));
      from.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 8));
      pair.run();
      assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, srq.number()),
          new AsyncEvent(AsyncEvent.Type.CQ_ERR, cq.number()), new AsyncEvent(AsyncEvent.Type.QP_FATAL, to.qpNum()),
          new AsyncEvent(AsyncEvent.Type.QP_LAST_WQE_REACHED, to.qpNum())), pair.b.events());
    }
  }

  @Test
  void shouldCallTheHandlerOncePerArming() {
    try (Pair pair = Pair.connected()) {
      pair.b.events();
      AtomicInteger calls = new AtomicInteger();
      assertFalse(pair.b.hca.armAsyncEvents(calls::incrementAndGet), "nothing waits");
      SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(8, 1, 0));
      srq.arm(1);
      assertEquals(1, calls.get());
      srq.arm(1);
      assertEquals(1, calls.get(), "not armed again");
      assertTrue(pair.b.hca.armAsyncEvents(calls::incrementAndGet), "two events wait, so that nobody waits for them in vain");
      assertEquals(List.of(AsyncEvent.Type.SRQ_LIMIT_REACHED, AsyncEvent.Type.SRQ_LIMIT_REACHED), types(pair.b));
      pair.b.hca.armAsyncEvents(null);
      srq.arm(1);
      assertEquals(1, calls.get(), "disarmed");
    }
  }

  @Test
  void shouldSurviveAHandlerThatThrowsAndCallItWhenAnEventIsLost() {
    try (Pair pair = Pair.with("weft.hca.async-events-max = 1")) {
      pair.b.events();
      SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(8, 1, 0));
      pair.b.hca.armAsyncEvents(() -> {
        throw new IllegalStateException("planned by the test");
      });
      srq.arm(1);
      AtomicInteger calls = new AtomicInteger();
      pair.b.hca.armAsyncEvents(calls::incrementAndGet);
      long before = pair.b.hca.asyncEventsLost();
      srq.arm(1);
      assertEquals(1, calls.get());
      assertEquals(before + 1, pair.b.hca.asyncEventsLost());
      assertEquals(1, pair.b.events().size());
    }
  }
}
