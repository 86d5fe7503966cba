package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.Stall;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Inspection says why a reliable connection does not move, and a sender that finds no receive backs off. */
@Tag("simulation")
class RcStallTest {
  private static final int RNR_10_US = 1;

  private static Pair pair() {
    return new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(RNR_10_US), UnaryOperator.identity());
  }

  private static void sendTwelve(Pair pair) {
    for (int i = 0; i < 12; i++) {
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 100).wrId(i).signaled());
    }
  }

  private static void assertStalled(Stall.Cause cause, long atLeastNs, Stall stall) {
    assertEquals(cause, stall.cause(), stall::toString);
    assertTrue(stall.ns() >= atLeastNs && stall.ns() < atLeastNs + Pair.SECOND / 2, stall::toString);
  }

  @Test
  void shouldNameTheMissingReceiveAtBothEndsAndForgetItWhenOneIsPosted() {
    try (Pair pair = pair()) {
      sendTwelve(pair);
      pair.fabric.system().runFor(10 * Pair.SECOND);
      assertStalled(Stall.Cause.RNR_STALLED, 10 * Pair.SECOND - 1_000_000, pair.a.qpSnapshot().stall());
      assertStalled(Stall.Cause.RECEIVE_MISSING, 10 * Pair.SECOND - 1_000_000, pair.b.qpSnapshot().stall());
      for (int i = 0; i < 12; i++) {
        pair.b.post(i, 0, 100);
      }
      pair.run();
      assertEquals(12, pair.a.sent().size());
      assertEquals(12, pair.b.received().size());
      assertEquals(Stall.NONE, pair.a.qpSnapshot().stall());
      assertEquals(Stall.NONE, pair.b.qpSnapshot().stall());
    }
  }

  @Test
  void shouldBackOffFromAReceiverThatPostsNothing() {
    try (Pair pair = pair()) {
      sendTwelve(pair);
      pair.fabric.system().runFor(10 * Pair.SECOND);
      long naks = pair.a.counters().rnrNaksReceived();
      assertTrue(naks >= 100 && naks <= 130, naks + " RNR NAKs in 10 s; a wait of at most 100 ms makes some 120");
      assertEquals(QpState.RTS, pair.a.qp.state());
    }
  }

  @Test
  void shouldKeepThePeersTimerWhereRetriesAreCounted() {
    try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(RNR_10_US), rts -> rts.rnrRetry(6))) {
      sendTwelve(pair);
      pair.fabric.system().runFor(Pair.SECOND / 1000);
      assertEquals(QpState.ERR, pair.a.qp.state());
      assertEquals("RNR_RETRY_EXC_ERR", pair.a.qpSnapshot().failure());
    }
  }

  @Test
  void shouldNameASilentPeer() {
    try (Pair pair = new Pair().connect(attr -> attr.timeout(QpAttr.rts(0).timeout()))) {
      pair.fabric.link("b").setPartitioned(true);
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.fabric.system().runFor(Pair.SECOND);
      assertEquals(Stall.NONE, pair.a.qpSnapshot().stall(), "the first timeout has not expired");
      pair.fabric.system().runFor(9 * Pair.SECOND);
      assertStalled(Stall.Cause.PEER_SILENT, 10 * Pair.SECOND - 1_000_000, pair.a.qpSnapshot().stall());
      pair.fabric.link("b").setPartitioned(false);
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(Stall.NONE, pair.a.qpSnapshot().stall());
    }
  }

  @Test
  void shouldNameACompletionQueueThatIsNotPolled() {
    try (Pair pair = Pair.connected()) {
      int depth = pair.a.qp.initAttr().maxSendWr();
      for (int i = 0; i < depth; i++) {
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
      }
      pair.run();
      pair.fabric.system().runFor(3 * Pair.SECOND);
      assertEquals(Stall.Cause.CQ_NOT_POLLED, pair.a.qpSnapshot().stall().cause());
      assertTrue(pair.a.qpSnapshot().stall().ns() >= 3 * Pair.SECOND, () -> pair.a.qpSnapshot().toString());
      assertEquals(depth, pair.a.sent().size());
      assertEquals(Stall.NONE, pair.a.qpSnapshot().stall());
    }
  }

  @Test
  void shouldTellAConnectionThatFailedFromOneThatWasEnded() {
    try (Pair pair = Pair.connected()) {
      pair.a.send(pair.a.wr.read(pair.b.mr.addr() + pair.b.mr.length(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals("REM_ACCESS_ERR", pair.a.qpSnapshot().failure());
      assertEquals("QP_ACCESS_ERR", pair.b.qpSnapshot().failure());
      pair.a.qp.modify(new QpAttr().state(QpState.RESET));
      assertEquals("", pair.a.qpSnapshot().failure());
      pair.a.qp.modify(QpAttr.init(Access.ALL));
      pair.a.qp.modify(new QpAttr().state(QpState.ERR));
      assertEquals("", pair.a.qpSnapshot().failure());
    }
  }
}
