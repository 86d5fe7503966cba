package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Loss, duplication, receiver not ready, PSN wrap-around, acknowledgement coalescing. */
@Tag("simulation")
class RcRecoveryTest {
  private static WorkRequest write(Pair pair) {
    return pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  private static WorkRequest read(Pair pair) {
    return pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  /** Lets one or two packets on their way to a get lost. */
  private static void loseSomeAnswers(Pair pair) {
    pair.fabric.link("a").setPartitioned(false, true);
    pair.fabric.system().runFor(1_500);
    pair.fabric.link("a").setPartitioned(false);
  }

  /** A JVM that stands still for seconds is alive. */
  @Nested
  class Patience {
    private void silence(Pair pair, long ns) {
      pair.fabric.link("b").setPartitioned(true);
      pair.a.send(write(pair).sge(pair.a.mr, 0, 8).signaled());
      pair.fabric.system().runFor(ns);
      pair.fabric.link("b").setPartitioned(false);
    }

    @Test
    void shouldOutlastAPauseOfThePeerOfNineSecondsByDefault() {
      try (Pair pair = new Pair().connect(attr -> attr.timeout(QpAttr.rts(0).timeout()))) {
        assertEquals(17_179_869_184L, pair.a.qpSnapshot().retryBudgetNs());
        silence(pair, 9 * Pair.SECOND);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        HcaSnapshot.Qp qp = pair.a.qpSnapshot();
        assertEquals(5, qp.retriesMost());
        assertEquals(7, qp.retriesLeft());
        assertTrue(qp.silenceMaxNs() > 5L * 2_147_483_648L && qp.silenceMaxNs() < 5L * 2_147_483_648L + 1_000_000, () -> qp.toString());
      }
    }

    @Test
    void shouldEndAConnectionToAPeerThatIsGoneAfterTheBudget() {
      try (Pair pair = new Pair().connect(attr -> attr.timeout(QpAttr.rts(0).timeout()))) {
        silence(pair, 17 * Pair.SECOND);
        assertEquals(0, pair.a.sendCq.size());
        pair.fabric.link("b").setPartitioned(true);
        pair.fabric.system().runFor(Pair.SECOND);
        assertEquals(WcStatus.RETRY_EXC_ERR, pair.a.oneSent().status());
        assertEquals(7, pair.a.qpSnapshot().retriesMost());
        assertEquals(pair.a.qpSnapshot().retryBudgetNs(), pair.a.qpSnapshot().silenceMaxNs());
      }
    }

    @Test
    void shouldShowNothingWhereNothingWasLate() {
      try (Pair pair = Pair.connected()) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        HcaSnapshot.Qp qp = pair.a.qpSnapshot();
        assertEquals(List.of(0, 0L, 8L * (4096L << Pair.TIMEOUT)), List.of(qp.retriesMost(), qp.silenceMaxNs(), qp.retryBudgetNs()));
        assertEquals(1, qp.sendSlotsTaken());
      }
    }
  }

  /** Receiver not ready. */
  @Nested
  class Rnr {
    private static Pair waiting(int timerCode) {
      Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(timerCode), UnaryOperator.identity());
      pair.a.fill(1).send(pair.a.wr.send().sge(pair.a.mr, 0, 3000).wrId(1).signaled());
      pair.runUntil(() -> pair.a.counters().rnrNaksReceived() == 1);
      return pair;
    }

    @Test
    void shouldResumeWhenAReceiveIsPostedLongBeforeTheTimer() {
      try (Pair pair = waiting(0)) {
        long startNs = pair.fabric.system().nowNs();
        assertTrue(pair.a.hca.inspect().queuePairs().getFirst().rnrWait());
        pair.b.post(2, 0, 4096);
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        long tookNs = pair.fabric.system().nowNs() - startNs;
        assertTrue(tookNs < 20_000, "took " + tookNs + " ns, the timer says " + TransportTimer.rnrNs(0));
        assertEquals(1, pair.a.counters().rnrResumes());
        assertEquals(1, pair.b.counters().rnrNaksSent());
        pair.run();
        assertEquals(3000, pair.b.oneReceived().byteLen());
        pair.assertSame(0, 0, 3000);
      }
    }

    @Test
    void shouldResumeOnTheTimerWhenTheTidingsGetLost() {
      try (Pair pair = waiting(20)) {
        long startNs = pair.fabric.system().nowNs();
        pair.fabric.link("b").setPartitioned(true);
        pair.b.post(2, 0, 4096);
        pair.fabric.system().runFor(100_000);
        pair.fabric.link("b").setPartitioned(false);
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        long tookNs = pair.fabric.system().nowNs() - startNs;
        assertTrue(tookNs >= TransportTimer.rnrNs(20) && tookNs < TransportTimer.rnrNs(20) + 20_000, tookNs + " ns");
        assertEquals(0, pair.a.counters().rnrResumes());
      }
    }

    @Test
    void shouldNotCountADuplicateRnrNak() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(0), rts -> rts.rnrRetry(1))) {
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.a.counters().rnrNaksReceived() == 1);
        for (int i = 0; i < 3; i++) {
          pair.forge(pair.b, pair.a, Opcode.RC_ACKNOWLEDGE, 1, 0x20, Payload.EMPTY);
        }
        pair.fabric.system().runFor(10_000);
        pair.b.post(2, 0, 8);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
      }
    }

    /** The network has doubled the request, and the copy finds a receive. */
    @Test
    void shouldSendWhatIsPostedAfterAWaitThatACopyOfTheRequestHasEnded() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(0), UnaryOperator.identity())) {
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.a.counters().rnrNaksReceived() == 1);
        pair.fabric.link("b").setPartitioned(true);
        pair.b.post(2, 0, 8);
        pair.fabric.system().runFor(100_000);
        pair.fabric.link("b").setPartitioned(false);
        pair.forge(pair.a, pair.b, Opcode.RC_SEND_ONLY, 1, 0, Payload.of(pair.a.memory, 0, 8));
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        assertTrue(pair.a.oneSent().isSuccess());
        pair.b.post(3, 0, 8);
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        assertTrue(pair.a.oneSent().isSuccess());
      }
    }

    @Test
    void shouldKeepTheWriteOfAWriteWithImmediateThatFindsNoReceive() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(0), UnaryOperator.identity())) {
        pair.a.fill(5).send(pair.a.wr.writeWithImm(pair.b.mr.addr(), pair.b.mr.rkey(), 44).sge(pair.a.mr, 0, 5000).signaled());
        pair.runUntil(() -> pair.a.counters().rnrNaksReceived() == 1);
        pair.assertSame(0, 0, 4096);
        pair.b.qp.postReceive(pair.b.rr.receive(6));
        pair.run();
        WorkCompletion got = pair.b.oneReceived();
        assertEquals(44, got.immData());
        assertEquals(5000, got.byteLen());
        assertEquals(1, pair.a.counters().packetsRetransmitted(), "only the last packet is sent again");
        pair.assertSame(0, 0, 5000);
      }
    }

    @Test
    void shouldNotAnswerTheSendsBehindTheOneThatWasNotReady() {
      try (Pair pair = new Pair().connect(attr -> {})) {
        for (int i = 0; i < 10; i++) {
          pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 100).wrId(i).signaled());
        }
        pair.runUntil(() -> pair.b.counters().outOfSequenceRequests() == 9);
        assertEquals(1, pair.b.counters().rnrNaksSent());
        assertEquals(0, pair.b.counters().naksSent());
        for (int i = 0; i < 10; i++) {
          pair.b.post(i, 0, 100);
        }
        pair.run();
        assertEquals(10, pair.a.sent().size());
        assertEquals(10, pair.b.received().size());
      }
    }
  }

  /** Packets that do not arrive, or twice. */
  @Nested
  class Loss {
    @Test
    void shouldAskOnceForALostReadResponseHoweverManyFollow() {
      try (Pair pair = new Pair().connect(attr -> attr.retryCnt(2))) {
        pair.b.fill(3);
        for (int i = 0; i < 16; i++) {
          pair.a.send(read(pair).sge(pair.a.mr, i * 4096L, 4096).wrId(i).signaled());
        }
        pair.runUntil(() -> pair.a.sendCq.size() == 2);
        loseSomeAnswers(pair);
        pair.runUntil(() -> pair.a.sendCq.size() == 16);
        assertEquals(0, pair.a.counters().timeouts(), "later answers showed the loss");
        List<WorkCompletion> all = pair.a.sent();
        assertTrue(all.stream().allMatch(WorkCompletion::isSuccess), all::toString);
        for (int i = 0; i < 16; i++) {
          pair.assertSame(i * 4096L, 0, 4096);
        }
      }
    }

    @Test
    void shouldAskAgainFromTheMiddleOfALongRead() {
      try (Pair pair = new Pair().connect(attr -> attr.retryCnt(1))) {
        pair.b.fill(9);
        pair.a.send(read(pair).sge(pair.a.mr, 0, 60_000).signaled());
        pair.runUntil(() -> pair.a.counters().packetsReceived() == 20);
        loseSomeAnswers(pair);
        pair.run();
        assertEquals(60_000, pair.a.oneSent().byteLen());
        pair.assertSame(0, 0, 60_000);
        assertEquals(1, pair.b.counters().duplicateRequests());
        assertTrue(pair.b.counters().packetsSent() < 110, "the first part was not sent again");
      }
    }

    @Test
    void shouldExecuteADuplicateReadAgainWithTodaysBytes() {
      try (Pair pair = Pair.connected()) {
        pair.fabric.link("a").setPartitioned(false, true);
        pair.a.send(read(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.b.counters().packetsSent() == 1);
        pair.fabric.system().runFor(10_000);
        pair.b.word(0, 99);
        pair.fabric.link("a").setPartitioned(false);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(99, pair.a.word(0));
        assertEquals(1, pair.b.counters().duplicateRequests());
      }
    }

    @Test
    void shouldGoOnAfterAReadRequestThatLingeredUntilItsKeyWasTakenBack() {
      try (Pair pair = Pair.connected()) {
        pair.a.send(read(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        pair.b.hca.deregMr(pair.b.mr);
        pair.forge(pair.a, pair.b, Opcode.RC_RDMA_READ_REQUEST, 100, pair.b.mr.addr(), pair.b.mr.rkey(), 8, 0, Payload.EMPTY);
        pair.run();
        assertEquals(1, pair.b.counters().duplicateRequests());
        assertEquals(QpState.RTS, pair.b.qp.state());
        pair.a.send(pair.a.wr.write(0, 0).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
      }
    }

    @Test
    void shouldAnswerALostWriteWithOneSequenceNak() {
      try (Pair pair = Pair.connected()) {
        pair.a.fill(2);
        pair.fabric.link("b").setPartitioned(false, true);
        for (int i = 0; i < 20; i++) {
          pair.a.send(pair.a.wr.write(pair.b.mr.addr() + i * 1000L, pair.b.mr.rkey()).sge(pair.a.mr, i * 1000L, 1000).signaled());
        }
        pair.fabric.system().runFor(5_000);
        pair.fabric.link("b").setPartitioned(false);
        pair.runUntil(() -> pair.a.sendCq.size() == 20);
        assertEquals(1, pair.a.counters().sequenceNaksReceived());
        assertEquals(0, pair.a.counters().timeouts());
        pair.assertSame(0, 0, 20_000);
      }
    }

    @Test
    void shouldConsumeOneReceiveForASendThatArrivesTwice() {
      try (Pair pair = Pair.connected()) {
        pair.b.post(1, 0, 100);
        pair.b.post(2, 200, 100);
        pair.fabric.link("a").setPartitioned(false, true);
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 100).signaled());
        pair.runUntil(() -> pair.b.recvCq.size() == 1);
        pair.fabric.system().runFor(10_000);
        pair.fabric.link("a").setPartitioned(false);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(1, pair.b.oneReceived().wrId());
        assertEquals(1, pair.b.qp.receiveQueueSize());
      }
    }

    @Test
    void shouldKeepInlineBytesForTheRetransmission() {
      try (Pair pair = Pair.connected()) {
        pair.a.word(0, 0x1234);
        pair.fabric.link("b").setPartitioned(true);
        pair.a.send(write(pair).inline(pair.a.memory.asSlice(0, 8)).signaled());
        pair.a.word(0, -1);
        pair.fabric.system().runFor(1_000_000);
        pair.fabric.link("b").setPartitioned(false);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(0x1234, pair.b.word(0));
      }
    }

    @Test
    void shouldTimeOutWhatWaitsForALinkThatIsDown() {
      try (Pair pair = new Pair().connect(attr -> attr.timeout(8).retryCnt(3))) {
        pair.a.hca.actor().tell(new dev.weft.fabric.packet.CableMessage.LinkState(false, pair.a.hca.lid()));
        pair.fabric.system().runFor(10_000);
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertEquals(WcStatus.RETRY_EXC_ERR, pair.a.oneSent().status());
      }
    }
  }

  /** A queue pair that has sent nothing yet, because another one uses all credits. */
  @Test
  void shouldTimeOutWhatHadNoCreditWhenTheLinkWentDown() {
    try (Pair pair = new Pair().connect(attr -> attr.timeout(8).retryCnt(3))) {
      CompletionQueue cq = pair.a.hca.createCq(16, ReceiveContext.POLLING, null);
      QueuePair other = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(cq, 16));
      other.modify(QpAttr.init(Access.ALL));
      other.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(0x999).rqPsn(1).pathMtu(Pair.MTU));
      other.modify(QpAttr.rts(1).timeout(8).retryCnt(3));
      long sentBefore = pair.a.counters().packetsSent();
      for (int i = 0; i < 4; i++) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 500_000));
      }
      pair.runUntil(() -> pair.a.counters().packetsSent() - sentBefore >= 128);
      other.postSend(write(pair).sge(pair.a.mr, 0, 8));
      pair.a.hca.actor().tell(new dev.weft.fabric.packet.CableMessage.LinkState(false, pair.a.hca.lid()));
      pair.run();
      List<WorkCompletion> all = Pair.Side.drain(cq);
      assertEquals(1, all.size());
      assertEquals(WcStatus.RETRY_EXC_ERR, all.getFirst().status());
    }
  }

  /** All operations at once, both ways, under faults drawn from a seed; also across the wrap of the PSN. */
  @Nested
  class FromSeeds {
    private static void run(long seed, LinkFaults faults, int psn, int mtu) {
      try (Pair pair = new Pair(seed, faults, Pair.QpShape.DEFAULT, Access.ALL)) {
        pair.connect(psn, psn ^ 0x5, UnaryOperator.identity(), rtr -> rtr.pathMtu(mtu), rts -> rts.timeout(10));
        SplittableRandom random = new SplittableRandom(seed);
        pair.a.fill(1);
        pair.b.fill(2);
        for (int round = 0; round < 6; round++) {
          round(pair, random, "seed " + seed + " round " + round);
        }
      }
    }

    private static void round(Pair pair, SplittableRandom random, String where) {
      int count = 20;
      long counter = pair.b.word(900_000);
      for (int i = 0; i < count; i++) {
        pair.b.post(i, 300_000 + i * 5000L, 5000);
        pair.a.post(i, 500_000 + i * 5000L, 5000);
      }
      int[] lengths = new int[count];
      for (int i = 0; i < count; i++) {
        lengths[i] = random.nextInt(5000);
        pair.a.send(switch (i % 4) {
          case 0 -> pair.a.wr.send().sge(pair.a.mr, i, lengths[i]);
          case 1 -> pair.a.wr.write(pair.b.mr.addr() + 100_000 + i * 5000L, pair.b.mr.rkey()).sge(pair.a.mr, i, lengths[i]);
          case 2 -> pair.a.wr.read(pair.b.mr.addr() + i, pair.b.mr.rkey()).sge(pair.a.mr, 100_000 + i * 5000L, lengths[i]);
          default -> pair.a.wr.fetchAndAdd(pair.b.mr.addr() + 900_000, pair.b.mr.rkey(), 1).sge(pair.a.mr, 900_000 + i * 8L, 8);
        });
        pair.b.send(pair.b.wr.send().sge(pair.b.mr, i, lengths[i]));
      }
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).wrId(77).signaled());
      pair.b.send(pair.b.wr.write(pair.a.mr.addr(), pair.a.mr.rkey()).wrId(78).signaled());
      pair.runUntil(() -> pair.a.sendCq.size() + pair.b.sendCq.size() == 2);
      assertTrue(pair.a.oneSent().isSuccess(), where);
      assertTrue(pair.b.oneSent().isSuccess(), where);
      assertEquals(count / 4, pair.b.received().size(), where);
      assertEquals(count, pair.a.received().size(), where);
      assertEquals(counter + count / 4, pair.b.word(900_000), where);
      int sends = 0;
      for (int i = 0; i < count; i++) {
        if (i % 4 == 1) {
          pair.assertSame(i, 100_000 + i * 5000L, lengths[i]);
        } else if (i % 4 == 2) {
          pair.assertSame(100_000 + i * 5000L, i, lengths[i]);
        } else if (i % 4 == 3) {
          assertEquals(counter + i / 4, pair.a.word(900_000 + i * 8L), where);
        }
        pair.assertSame(500_000 + i * 5000L, i, lengths[i]);
        sends++;
      }
      assertEquals(count, sends);
      drainReceives(pair);
    }

    private static void drainReceives(Pair pair) {
      int left = pair.b.qp.receiveQueueSize();
      for (int i = 0; i < left; i++) {
        pair.a.send(pair.a.wr.send());
      }
      pair.runUntil(() -> pair.b.recvCq.size() == left);
      pair.b.received();
      pair.run();
    }

    @Test
    void shouldDeliverEverythingOnceAndInOrderOverAFaultyLink() {
      Seeds.of(RcRecoveryTest.class, "rc-recovery", 1, 12, 12)
          .run(seed -> run(seed, new LinkFaults(0.02, 0.02, 0.02, 0.01, 20_000), 100, 1024));
    }

    @ParameterizedTest
    @CsvSource({"21,16777215,256", "22,16777200,256", "23,16777000,256", "24,8388600,1024", "25,16777215,4096"})
    void shouldDeliverEverythingAcrossTheWrapOfThePsn(long seed, int psn, int mtu) {
      run(seed, new LinkFaults(0.02, 0.02, 0.02, 0, 20_000), psn, mtu);
    }

    @ParameterizedTest
    @ValueSource(ints = {0xffffff, 0xfffffe, 0x7fffff, 0})
    void shouldWrapWithoutLossToo(int psn) {
      run(31, LinkFaults.NONE, psn, 512);
    }
  }

  /** How many acknowledgements there are. */
  @Nested
  class Coalescing {
    @Test
    void shouldAcknowledgeAMessageOfFortyPacketsOnce() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), UnaryOperator.identity(), UnaryOperator.identity())) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 40 * Pair.MTU).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(40, pair.a.counters().packetsSent());
        assertEquals(1, pair.b.counters().acksSent());
      }
    }

    @Test
    void shouldAskForAnAcknowledgementBeforeTheWindowIsFull() {
      try (Pair pair = Pair.with("weft.hca { window-packets = 100, ack-interval-packets = 100 }")) {
        pair.connect(0xffff00, 1, UnaryOperator.identity(), rtr -> rtr.pathMtu(256), UnaryOperator.identity());
        pair.a.send(write(pair).sge(pair.a.mr, 0, 256 * 600).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(0, pair.a.counters().timeouts());
      }
    }

    @Test
    void shouldAnswerWhatArrivesAtOnceWithOneAcknowledgement() {
      try (Pair pair = Pair.connected()) {
        for (int i = 0; i < 8; i++) {
          pair.forge(pair.a, pair.b, Opcode.RC_RDMA_WRITE_ONLY, 100 + i, pair.b.mr.addr(), pair.b.mr.rkey(), 8, 0,
              Payload.of(pair.a.memory, 0, 8));
        }
        pair.run();
        assertEquals(1, pair.b.counters().acksSent());
        assertEquals(108, pair.b.qp.query().rqPsn());
        assertFalse(pair.b.qp.state() == QpState.ERR);
      }
    }
  }
}
