package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every completion status that RC produces; the table is in docs/reference/verbs.md. */
@Tag("simulation")
class StatusTest {
  private static WcStatus run(Pair pair, WorkRequest wr) {
    pair.a.send(wr.signaled());
    pair.run();
    WcStatus status = pair.a.oneSent().status();
    assertEquals(status == WcStatus.SUCCESS ? QpState.RTS : QpState.ERR, pair.a.qp.state());
    return status;
  }

  private static WorkRequest write(Pair pair) {
    return pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  private static Pair readsDisabled() {
    return new Pair().connect(1, 1, UnaryOperator.identity(), UnaryOperator.identity(), rts -> rts.maxRdAtomic(0));
  }

  /** What the requester finds wrong by itself. */
  @Nested
  class Local {
    @Test
    void shouldReportLocLenErrForAMessageLongerThanTheDeviceAllows() {
      try (Pair pair = Pair.with("weft.hca.message-max = 100000").connect(attr -> {})) {
        assertEquals(WcStatus.SUCCESS, run(pair, write(pair).sge(pair.a.mr, 0, 100_000)));
        assertEquals(WcStatus.LOC_LEN_ERR, run(pair, write(pair).sge(pair.a.mr, 0, 100_000).sge(pair.a.mr, 0, 1)));
      }
    }

    @Test
    void shouldReportLocLenErrForTwoGigabytesAtTheSmallestMtu() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.pathMtu(256), UnaryOperator.identity())) {
        assertEquals(WcStatus.LOC_LEN_ERR,
            run(pair, write(pair).sge(pair.a.mr.addr(), 1 << 30, 1).sge(pair.a.mr.addr(), (1 << 30) - 1, 1)));
      }
    }

    @Test
    void shouldReportMwBindErrForAnInvalidationOfAnUnknownKey() {
      try (Pair pair = Pair.connected()) {
        assertEquals(WcStatus.MW_BIND_ERR, run(pair, pair.a.wr.localInvalidate(pair.a.mr.lkey() + 1)));
      }
    }

    @Test
    void shouldReportLocQpOpErrForAReadWhereNoneMayBeOutstanding() {
      try (Pair pair = readsDisabled()) {
        assertEquals(WcStatus.LOC_QP_OP_ERR, run(pair, pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8)));
      }
    }

    @ParameterizedTest
    @CsvSource({"1,0,8", "0,-1,8", "0,1048569,8", "0,0,1048577"})
    void shouldReportLocProtErrForAnElementThatNoRegionCovers(int keyOffset, long offset, int length) {
      try (Pair pair = Pair.connected()) {
        assertEquals(WcStatus.LOC_PROT_ERR,
            run(pair, write(pair).sge(pair.a.mr.addr() + offset, length, pair.a.mr.lkey() + keyOffset)));
        assertEquals(0, pair.b.counters().packetsReceived(), "nothing was sent");
      }
    }

    @Test
    void shouldReportLocProtErrForARegionOfAnotherDomain() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion other = pair.a.hca.regMr(pair.a.hca.allocPd(), pair.a.memory, Access.ALL);
        assertEquals(WcStatus.LOC_PROT_ERR, run(pair, write(pair).sge(other, 0, 8)));
      }
    }

    @Test
    void shouldReportLocProtErrForAReadIntoARegionWithoutLocalWrite() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion readOnly = pair.a.hca.regMr(pair.a.pd, pair.a.memory, Access.REMOTE_READ);
        assertEquals(WcStatus.SUCCESS, run(pair, write(pair).sge(readOnly, 0, 8)));
        assertEquals(WcStatus.LOC_PROT_ERR, run(pair, pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(readOnly, 0, 8)));
      }
    }

    @Test
    void shouldCompleteEarlierRequestsBeforeALocalErrorEvenWhenTheyAreLost() {
      try (Pair pair = Pair.connected()) {
        pair.fabric.link("a").setPartitioned(true);
        for (int i = 0; i < 3; i++) {
          pair.a.send(write(pair).sge(pair.a.mr, 0, 3000).wrId(i).signaled());
        }
        pair.a.send(write(pair).sge(pair.a.mr.addr(), 8, 0).wrId(3).signaled());
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).wrId(4).signaled());
        pair.fabric.system().runFor(1_000_000);
        pair.fabric.link("a").setPartitioned(false);
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.SUCCESS, WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR),
            all.stream().map(WorkCompletion::status).toList());
      }
    }
  }

  /** What the responder refuses. */
  @Nested
  class Remote {
    @Test
    void shouldReportRemInvReqErrAndLocLenErrWhenTheReceiveIsTooShort() {
      try (Pair pair = Pair.connected()) {
        pair.b.post(7, 0, 2999);
        assertEquals(WcStatus.REM_INV_REQ_ERR, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 3000)));
        WorkCompletion got = pair.b.oneReceived();
        assertEquals(7, got.wrId());
        assertEquals(WcStatus.LOC_LEN_ERR, got.status());
        assertEquals(QpState.ERR, pair.b.qp.state());
      }
    }

    @Test
    void shouldReportRemOpErrAndLocProtErrWhenTheReceiveNamesABadKey() {
      try (Pair pair = Pair.connected()) {
        pair.b.qp.postReceive(pair.b.rr.receive(8).sge(pair.b.mr.addr(), 64, pair.b.mr.lkey() ^ 1));
        assertEquals(WcStatus.REM_OP_ERR, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 64)));
        assertEquals(WcStatus.LOC_PROT_ERR, pair.b.oneReceived().status());
      }
    }

    @Test
    void shouldReportRemOpErrForAnAtomicOnMemoryThatTheMachineCannotUpdateAtomically() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion odd = pair.b.hca.regMr(pair.b.pd, pair.b.memory.asSlice(4), 0x1000, Access.ALL);
        assertEquals(WcStatus.REM_OP_ERR, run(pair, pair.a.wr.fetchAndAdd(odd.addr(), odd.rkey(), 1).sge(pair.a.mr, 0, 8)));
        assertTrue(pair.b.events().contains(new AsyncEvent(AsyncEvent.Type.QP_REQ_ERR, pair.b.qp.qpNum())));
      }
    }

    @ParameterizedTest
    @CsvSource({"WRITE,REMOTE_WRITE", "READ,REMOTE_READ", "ATOMIC,REMOTE_ATOMIC"})
    void shouldReportRemAccessErrWithoutTheRightAtTheRegion(String op, String right) {
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x5000, Access.ALL & ~bit(right));
        assertEquals(WcStatus.REM_ACCESS_ERR, run(pair, request(pair, op, mr)));
        assertTrue(pair.b.events().contains(new AsyncEvent(AsyncEvent.Type.QP_ACCESS_ERR, pair.b.qp.qpNum())));
      }
    }

    @ParameterizedTest
    @CsvSource({"WRITE,REMOTE_WRITE", "READ,REMOTE_READ", "ATOMIC,REMOTE_ATOMIC"})
    void shouldReportRemInvReqErrWithoutTheRightAtTheQueuePair(String op, String right) {
      try (Pair pair = new Pair().connect(1, 1, init -> init.accessFlags(Access.ALL & ~bit(right)), UnaryOperator.identity(),
          UnaryOperator.identity())) {
        assertEquals(WcStatus.REM_INV_REQ_ERR, run(pair, request(pair, op, pair.b.mr)));
        assertTrue(pair.b.events().contains(new AsyncEvent(AsyncEvent.Type.QP_REQ_ERR, pair.b.qp.qpNum())));
        assertEquals(QpState.ERR, pair.b.qp.state());
      }
    }

    @ParameterizedTest
    @CsvSource({"WRITE", "READ", "ATOMIC"})
    void shouldReportRemAccessErrForARegionOfAnotherDomain(String op) {
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.b.hca.regMr(pair.b.hca.allocPd(), pair.b.memory, 0x5000, Access.ALL);
        assertEquals(WcStatus.REM_ACCESS_ERR, run(pair, request(pair, op, mr)));
      }
    }

    @ParameterizedTest
    @CsvSource({"WRITE,-8", "WRITE,1048569", "READ,-8", "READ,1048569", "ATOMIC,1048576"})
    void shouldReportRemAccessErrOutsideTheRegion(String op, long offset) {
      try (Pair pair = Pair.connected()) {
        assertEquals(WcStatus.REM_ACCESS_ERR, run(pair, request(pair, op, pair.b.mr.addr() + offset, pair.b.mr)));
      }
    }

    @Test
    void shouldReportRemInvReqErrForAReadThatTheResponderHasNoRoomFor() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.maxDestRdAtomic(0), UnaryOperator.identity())) {
        assertEquals(WcStatus.REM_INV_REQ_ERR, run(pair, request(pair, "READ", pair.b.mr)));
      }
    }

    private static int bit(String right) {
      return switch (right) {
        case "REMOTE_WRITE" -> Access.REMOTE_WRITE;
        case "REMOTE_READ" -> Access.REMOTE_READ;
        default -> Access.REMOTE_ATOMIC;
      };
    }

    private static WorkRequest request(Pair pair, String op, MemoryRegion mr) {
      return request(pair, op, mr.addr(), mr);
    }

    private static WorkRequest request(Pair pair, String op, long address, MemoryRegion mr) {
      return switch (op) {
        case "WRITE" -> pair.a.wr.write(address, mr.rkey()).sge(pair.a.mr, 0, 8);
        case "READ" -> pair.a.wr.read(address, mr.rkey()).sge(pair.a.mr, 0, 8);
        default -> pair.a.wr.fetchAndAdd(address, mr.rkey(), 1).sge(pair.a.mr, 0, 8);
      };
    }
  }

  /** Answers that only a faulty responder gives: forged, while the true one is cut off. The first PSN of a is 100. */
  @Nested
  class Forged {
    private static Pair cutOff() {
      Pair pair = Pair.connected();
      pair.fabric.link("b").setPartitioned(true);
      return pair;
    }

    private static WcStatus answer(Pair pair, WorkRequest wr, int opcode, int psn, int syndrome, int bytes) {
      pair.a.send(wr.signaled());
      pair.fabric.system().runFor(1000);
      pair.forge(pair.b, pair.a, opcode, psn, syndrome, Payload.of(pair.b.memory, 0, bytes));
      pair.fabric.system().runFor(1000);
      List<WorkCompletion> all = pair.a.sent();
      return all.isEmpty() ? null : all.getFirst().status();
    }

    @ParameterizedTest
    @CsvSource({"16,99", "16,101", "13,100", "14,100", "18,0", "16,0"})
    void shouldReportBadRespErrForAReadResponseOfTheWrongKindOrLength(int opcode, int bytes) {
      try (Pair pair = cutOff()) {
        assertEquals(WcStatus.BAD_RESP_ERR,
            answer(pair, pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 100), opcode, 100, 0x1f, bytes));
      }
    }

    @ParameterizedTest
    @CsvSource({"16,8", "18,0"})
    void shouldReportBadRespErrForDataInAnswerToAWrite(int opcode, int bytes) {
      try (Pair pair = cutOff()) {
        assertEquals(WcStatus.BAD_RESP_ERR, answer(pair, write(pair).sge(pair.a.mr, 0, 8), opcode, 100, 0x1f, bytes));
      }
    }

    @ParameterizedTest
    @CsvSource({"97,REM_INV_REQ_ERR", "98,REM_ACCESS_ERR", "99,REM_OP_ERR", "100,REM_INV_RD_REQ_ERR"})
    void shouldMapEachNakToItsStatus(int syndrome, WcStatus status) {
      try (Pair pair = cutOff()) {
        assertEquals(status, answer(pair, write(pair).sge(pair.a.mr, 0, 8), Opcode.RC_ACKNOWLEDGE, 100, syndrome, 0));
      }
    }

    @ParameterizedTest
    @CsvSource({"99,31", "101,31", "5000,31", "100,64", "100,101", "99,97", "101,98"})
    void shouldIgnoreAcknowledgementsOfWhatWasNotSentAndReservedSyndromes(int psn, int syndrome) {
      try (Pair pair = cutOff()) {
        assertEquals(null, answer(pair, write(pair).sge(pair.a.mr, 0, 8), Opcode.RC_ACKNOWLEDGE, psn, syndrome, 0));
        assertEquals(QpState.RTS, pair.a.qp.state());
      }
    }

    @Test
    void shouldTakeAnAcknowledgementOfAReadForALostResponseAndAskAgain() {
      try (Pair pair = Pair.connected()) {
        pair.b.fill(1);
        pair.fabric.link("b").setPartitioned(true);
        assertEquals(null, answer(pair, pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 100),
            Opcode.RC_ACKNOWLEDGE, 100, Aeth.ACK | Aeth.CREDIT_INVALID, 0));
        pair.fabric.link("b").setPartitioned(false);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        pair.assertSame(0, 0, 100);
      }
    }

    @ParameterizedTest
    @CsvSource({"1,100", "2,100", "7,1024", "8,100", "4,1025", "0,1023", "6,8"})
    void shouldAnswerARequestOutOfPlaceOrOfTheWrongLengthWithInvalidRequest(int opcode, int bytes) {
      try (Pair pair = Pair.connected()) {
        pair.b.post(1, 0, 4096);
        pair.forge(pair.a, pair.b, opcode, 100, pair.b.mr.addr(), pair.b.mr.rkey(), 5000, 0, Payload.of(pair.a.memory, 0, bytes));
        pair.run();
        assertEquals(QpState.ERR, pair.b.qp.state());
        assertEquals(1, pair.b.counters().naksSent());
      }
    }

    @Test
    void shouldDropWhatComesFromAnotherNodeOrToNoQueuePair() {
      try (Pair pair = Pair.connected()) {
        pair.forge(pair.b, pair.b, Opcode.RC_RDMA_WRITE_ONLY, 100, 0, 0, 0, 0, Payload.EMPTY);
        pair.forge(pair.a, pair.b, 0x3f, 100, 0, 0, 0, 0, Payload.EMPTY);
        pair.run();
        assertEquals(2, pair.b.counters().packetsDropped());
        assertEquals(100, pair.b.qp.query().rqPsn());
      }
    }
  }

  /** Retries that end. */
  @Nested
  class Exhausted {
    @ParameterizedTest
    @CsvSource({"1,0", "1,3", "8,7", "14,0", "14,7", "18,2"})
    void shouldReportRetryExcErrAfterExactlyOneTimeoutMoreThanRetries(int timeout, int retryCnt) {
      try (Pair pair = new Pair().connect(attr -> attr.timeout(timeout).retryCnt(retryCnt))) {
        pair.fabric.link("b").setPartitioned(true);
        long startNs = pair.fabric.system().nowNs();
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        assertEquals((4096L << timeout) * (retryCnt + 1), pair.fabric.system().nowNs() - startNs);
        assertEquals(WcStatus.RETRY_EXC_ERR, pair.a.oneSent().status());
        assertEquals(retryCnt, pair.a.counters().packetsRetransmitted());
      }
    }

    @Test
    void shouldWaitForEverWithTimeoutZero() {
      try (Pair pair = new Pair().connect(attr -> attr.timeout(0))) {
        pair.fabric.link("b").setPartitioned(true);
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).signaled());
        pair.fabric.system().runFor(3600 * Pair.SECOND);
        assertTrue(pair.a.sent().isEmpty());
      }
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "3,12", "6,0"})
    void shouldReportRnrRetryExcErrAfterExactlyThatManyWaits(int rnrRetry, int timer) {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.minRnrTimer(timer),
          rts -> rts.rnrRetry(rnrRetry))) {
        long startNs = pair.fabric.system().nowNs();
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.a.sendCq.size() == 1);
        long waitedNs = pair.fabric.system().nowNs() - startNs;
        long timersNs = TransportTimer.rnrNs(timer) * rnrRetry;
        assertEquals(WcStatus.RNR_RETRY_EXC_ERR, pair.a.oneSent().status());
        assertEquals(rnrRetry + 1, pair.b.counters().rnrNaksSent());
        assertTrue(waitedNs >= timersNs && waitedNs < timersNs + (rnrRetry + 1) * 10_000L, waitedNs + " ns for " + timersNs);
        assertEquals(QpState.RTS, pair.b.qp.state(), "the responder is not harmed");
      }
    }

    @Test
    void shouldRetryForEverWithRnrRetrySeven() {
      try (Pair pair = new Pair().connect(attr -> attr.rnrRetry(7))) {
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertTrue(pair.b.counters().rnrNaksSent() > 50, () -> pair.b.counters().toString());
        pair.b.post(1, 0, 8);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
      }
    }
  }

  @Test
  void shouldFlushEverythingInOrderAndSignaledOrNot() {
    try (Pair pair = Pair.connected()) {
      for (int i = 0; i < 5; i++) {
        pair.a.post(100 + i, 0, 8);
      }
      pair.a.send(write(pair).sge(pair.a.mr.addr(), 8, 0).wrId(0));
      for (int i = 1; i < 10; i++) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).wrId(i));
      }
      pair.run();
      pair.a.send(write(pair).sge(pair.a.mr, 0, 8).wrId(10));
      pair.a.post(105, 0, 8);
      pair.run();
      List<WorkCompletion> sent = pair.a.sent();
      assertEquals(WcStatus.LOC_PROT_ERR, sent.getFirst().status(), "an error completes although it is not signaled");
      assertEquals(LongStream.rangeClosed(0, 10).boxed().toList(), sent.stream().map(WorkCompletion::wrId).toList());
      assertTrue(sent.stream().skip(1).allMatch(wc -> wc.status() == WcStatus.WR_FLUSH_ERR));
      List<WorkCompletion> received = pair.a.received();
      assertEquals(LongStream.rangeClosed(100, 105).boxed().toList(), received.stream().map(WorkCompletion::wrId).toList());
      assertTrue(received.stream().allMatch(wc -> wc.status() == WcStatus.WR_FLUSH_ERR));
    }
  }

  @Test
  void shouldFlushWhatIsPostedAfterAFailureThatFoundTheQueueAwake() {
    try (Pair pair = new Pair().connect(attr -> attr.timeout(8).retryCnt(0))) {
      pair.fabric.link("b").setPartitioned(true);
      for (int i = 0; i < 40; i++) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 100_000).wrId(i));
      }
      pair.run();
      assertEquals(40, pair.a.sent().size());
      for (int i = 40; i < 45; i++) {
        pair.a.send(write(pair).sge(pair.a.mr, 0, 8).wrId(i));
        pair.run();
        assertEquals(i, pair.a.oneSent().wrId());
      }
    }
  }
}
