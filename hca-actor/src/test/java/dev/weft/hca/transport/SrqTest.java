package dev.weft.hca.transport;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared receive queues; also rdma-core's tests/test_srq.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class SrqTest {
  /** Several queue pairs of {@code a}, each connected to one of {@code b}, where all take from one queue. */
  private static final class Bed implements AutoCloseable {
    final Pair pair;
    final SharedReceiveQueue srq;
    final List<QueuePair> senders = new ArrayList<>();
    final List<QueuePair> receivers = new ArrayList<>();
    final ReceiveRequest rr = new ReceiveRequest();

    Bed(int connections, int maxWr) {
      this(connections, maxWr, 7);
    }

    Bed(int connections, int maxWr, int rnrRetry) {
      this(new Pair(), connections, maxWr, rnrRetry);
    }

    Bed(Pair pair, int connections, int maxWr, int rnrRetry) {
      this.pair = pair;
      srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(maxWr, 2, 0));
      for (int i = 0; i < connections; i++) {
        QueuePair from = pair.a.hca.createQp(pair.a.pd, new QpInitAttr(pair.a.sendCq, pair.a.recvCq, 32, 0, 2, 0, 64, false));
        QueuePair to = pair.b.hca.createQp(pair.b.pd,
            new QpInitAttr(pair.b.sendCq, pair.b.recvCq, 32, 0, 2, 0, 64, false).withSrq(srq));
        senders.add(from);
        receivers.add(to);
        bringUp(from, pair.b.hca.lid(), to.qpNum(), rnrRetry);
        bringUp(to, pair.a.hca.lid(), from.qpNum(), rnrRetry);
      }
    }

    private static void bringUp(QueuePair qp, int lid, int peer, int rnrRetry) {
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(lid).destQpNum(peer).rqPsn(5).pathMtu(Pair.MTU));
      qp.modify(QpAttr.rts(5).rnrRetry(rnrRetry).timeout(10));
    }

    void post(int count) {
      for (int i = 0; i < count; i++) {
        srq.postReceive(rr.receive(i).sge(pair.b.mr, i * 8192L, 8192));
      }
    }

    void send(int connection, int length) {
      senders.get(connection).postSend(pair.a.wr.send().sge(pair.a.mr, 0, length).wrId(connection).signaled());
    }

    long count(AsyncEvent.Type type) {
      return pair.b.events().stream().filter(event -> event.type() == type).count();
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  /** tests/test_srq.py. */
  @Nested
  class RdmaCoreSrq {
    @ParameterizedTest
    @ValueSource(ints = {1, 1000, 5000})
    void testRcSrqTraffic(int length) {
      try (Bed bed = new Bed(3, 16)) {
        bed.pair.a.fill(4);
        bed.post(9);
        for (int i = 0; i < 9; i++) {
          bed.send(i % 3, length);
        }
        bed.pair.run();
        List<WorkCompletion> got = bed.pair.b.received();
        assertEquals(9, got.size());
        assertEquals(9, got.stream().map(WorkCompletion::wrId).distinct().count(), "each receive is used once");
        for (WorkCompletion wc : got) {
          assertEquals(WcStatus.SUCCESS, wc.status());
          assertEquals(length, wc.byteLen());
          bed.pair.assertSame(0, wc.wrId() * 8192, length);
        }
        for (QueuePair qp : bed.receivers) {
          assertEquals(3, got.stream().filter(wc -> wc.qpNum() == qp.qpNum()).count(), "messages of " + qp);
        }
        assertEquals(0, bed.srq.size());
      }
    }

    /** tests/test_parent_domain.py, without its allocators. */
    @Test
    void testMemAlignSrqExcqRcTraffic() {
      try (Pair pair = new Pair()) {
        CompletionQueueEx cq = pair.b.hca.createCqEx(new CqExAttr(16, ReceiveContext.POLLING, null, true, true));
        SharedReceiveQueue srq = pair.b.hca.createSrq(pair.b.pd, new SrqAttr(8, 1, 0));
        QueuePair to = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(cq.cq(), 8).withSrq(srq));
        Bed.bringUp(pair.a.qp, pair.b.hca.lid(), to.qpNum(), 7);
        Bed.bringUp(to, pair.a.hca.lid(), pair.a.qp.qpNum(), 7);
        pair.a.fill(2);
        for (int i = 0; i < 8; i++) {
          srq.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, i * 4096L, 4096));
          pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 3000));
        }
        pair.run();
        assertTrue(cq.startPoll());
        int seen = 0;
        do {
          assertEquals(seen, cq.wrId());
          assertEquals(WcStatus.SUCCESS, cq.status());
          assertTrue(cq.completionTimestampNs() > 0);
          pair.assertSame(0, seen * 4096L, 3000);
          seen++;
        } while (cq.nextPoll());
        cq.endPoll();
        assertEquals(8, seen);
      }
    }

    @Test
    void testResizeSrq() {
      try (Bed bed = new Bed(1, 4)) {
        bed.pair.a.fill(1);
        bed.post(4);
        refused(Errno.ENOMEM, () -> bed.post(1));
        refused(Errno.EINVAL, () -> bed.srq.resize(3, 2));
        refused(Errno.EINVAL, () -> bed.srq.resize(1 << 30, 2));
        refused(Errno.EINVAL, () -> bed.srq.resize(7, 1000));
        bed.srq.resize(7, 4);
        assertEquals(new SrqAttr(7, 4, 0), bed.srq.query());
        for (int i = 4; i < 7; i++) {
          bed.srq.postReceive(bed.rr.receive(i).sge(bed.pair.b.mr, i * 8192L, 8192));
        }
        refused(Errno.ENOMEM, () -> bed.post(1));
        for (int i = 0; i < 7; i++) {
          bed.send(0, 100);
        }
        bed.pair.run();
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L), bed.pair.b.received().stream().map(WorkCompletion::wrId).toList());
        bed.pair.assertSame(0, 6 * 8192L, 100);
        bed.srq.resize(1, 2);
        bed.post(1);
        refused(Errno.ENOMEM, () -> bed.post(1));
      }
    }

    @Test
    void testModifySrqLimit() {
      try (Bed bed = new Bed(1, 16)) {
        bed.post(8);
        bed.srq.arm(6);
        for (int i = 0; i < 2; i++) {
          bed.send(0, 8);
        }
        bed.pair.run();
        assertEquals(0, bed.count(AsyncEvent.Type.SRQ_LIMIT_REACHED), "6 are left, which is not below 6");
        assertEquals(6, bed.srq.query().limit());
        for (int i = 0; i < 3; i++) {
          bed.send(0, 8);
        }
        bed.pair.run();
        List<AsyncEvent> events = bed.pair.b.events();
        assertEquals(1, events.stream().filter(e -> e.equals(new AsyncEvent(AsyncEvent.Type.SRQ_LIMIT_REACHED, bed.srq.number()))).count());
        assertEquals(0, bed.srq.query().limit());
        bed.send(0, 8);
        bed.pair.run();
        assertEquals(0, bed.count(AsyncEvent.Type.SRQ_LIMIT_REACHED), "not armed again");
        bed.srq.arm(3);
        assertEquals(1, bed.count(AsyncEvent.Type.SRQ_LIMIT_REACHED), "2 are left already");
        refused(Errno.EINVAL, () -> bed.srq.arm(17));
        refused(Errno.EINVAL, () -> bed.srq.arm(-1));
      }
    }
  }

  /** Messages that are longer than a packet hold their receive while others take the next ones. */
  @Test
  void shouldKeepInterleavedMessagesApart() {
    try (Bed bed = new Bed(4, 8)) {
      bed.pair.a.fill(9);
      bed.post(8);
      for (int i = 0; i < 8; i++) {
        bed.send(i % 4, 8000 + i);
      }
      bed.pair.run();
      List<WorkCompletion> got = bed.pair.b.received();
      assertEquals(8, got.size());
      for (WorkCompletion wc : got) {
        bed.pair.assertSame(0, wc.wrId() * 8192, wc.byteLen());
      }
    }
  }

  @Test
  void shouldAnswerRnrWhenEmptyAndWakeAsManyAsThereAreReceives() {
    try (Bed bed = new Bed(3, 8)) {
      for (int i = 0; i < 3; i++) {
        bed.send(i, 64);
      }
      bed.pair.runUntil(() -> bed.pair.a.counters().rnrNaksReceived() == 3);
      bed.post(2);
      bed.pair.fabric.system().runFor(100_000); // Much less than the RNR timer of 0.64 ms.
      assertEquals(2, bed.pair.b.received().size());
      assertEquals(2, bed.pair.a.counters().rnrResumes());
      bed.post(1);
      bed.pair.run();
      assertEquals(1, bed.pair.b.received().size());
      assertEquals(3, bed.pair.a.sent().stream().filter(WorkCompletion::isSuccess).count());
    }
  }

  @Test
  void shouldPassOverAQueuePairThatIsGoneOrInErrorWhenItsTurnComes() {
    try (Bed bed = new Bed(3, 8)) {
      for (int i = 0; i < 3; i++) {
        bed.send(i, 64);
        long naks = i + 1;
        bed.pair.runUntil(() -> bed.pair.a.counters().rnrNaksReceived() == naks);
      }
      bed.receivers.get(1).modify(new QpAttr().state(QpState.ERR));
      bed.pair.b.hca.destroyQp(bed.receivers.get(0));
      bed.post(1);
      bed.pair.fabric.system().runFor(100_000); // Much less than the RNR timer of 0.64 ms.
      assertEquals(bed.receivers.get(2).qpNum(), bed.pair.b.oneReceived().qpNum());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldUseEachReceiveOnceOverALossyLink(long seed) {
    Pair lossy = new Pair(seed, new LinkFaults(0.05, 0.05, 0.05, 0.01, 20_000), Pair.QpShape.DEFAULT, Access.ALL);
    try (Bed bed = new Bed(lossy, 3, 4, 7)) {
      lossy.a.fill((int) seed);
      int[] got = new int[3];
      for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++) {
          bed.send(i, 2500);
        }
        lossy.fabric.system().runFor(2_000_000);
        bed.post(3);
        lossy.run();
        List<WorkCompletion> all = lossy.b.received();
        assertEquals(3, all.stream().filter(WorkCompletion::isSuccess).map(WorkCompletion::wrId).distinct().count(), all::toString);
        assertEquals(3, all.size());
        for (WorkCompletion wc : all) {
          lossy.assertSame(0, wc.wrId() * 8192, 2500);
          got[bed.receivers.stream().map(QueuePair::qpNum).toList().indexOf(wc.qpNum())]++;
        }
      }
      assertEquals(List.of(10, 10, 10), Arrays.stream(got).boxed().toList());
      assertEquals(0, bed.srq.size());
    }
  }

  @Test
  void shouldReportRnrRetryExceededWhenTheQueueStaysEmpty() {
    try (Bed bed = new Bed(1, 8, 2)) {
      bed.send(0, 64);
      bed.pair.run();
      assertEquals(WcStatus.RNR_RETRY_EXC_ERR, bed.pair.a.oneSent().status());
      assertEquals(QpState.RTS, bed.receivers.getFirst().state(), "the responder has done nothing wrong");
    }
  }

  @Test
  void shouldTellWhenAQueuePairInErrorTakesNoReceiveAnyMore() {
    try (Bed bed = new Bed(2, 16)) {
      bed.post(4);
      bed.send(0, 8000);
      bed.pair.runUntil(() -> bed.srq.size() == 3);
      bed.receivers.getFirst().modify(new QpAttr().state(QpState.ERR));
      List<AsyncEvent> events = bed.pair.b.events();
      assertTrue(events.contains(new AsyncEvent(AsyncEvent.Type.QP_LAST_WQE_REACHED, bed.receivers.getFirst().qpNum())), events::toString);
      WorkCompletion flushed = bed.pair.b.oneReceived();
      assertEquals(WcStatus.WR_FLUSH_ERR, flushed.status(), "the receive of the message under way");
      assertEquals(0, flushed.wrId());
      assertEquals(3, bed.srq.size(), "the others stay");
      bed.send(1, 8);
      bed.pair.run();
      assertEquals(1, bed.pair.b.oneReceived().wrId());
    }
  }

  @Test
  void shouldForgetTheReceiveOfAMessageUnderWayWhenItsQueuePairIsReset() {
    try (Bed bed = new Bed(2, 16)) {
      bed.post(3);
      bed.send(0, 8000);
      bed.pair.runUntil(() -> bed.srq.size() == 2);
      bed.receivers.getFirst().modify(new QpAttr().state(QpState.RESET));
      bed.send(1, 8);
      bed.pair.run();
      assertEquals(1, bed.pair.b.oneReceived().wrId());
      assertEquals(0, bed.count(AsyncEvent.Type.QP_LAST_WQE_REACHED));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, LOC_LEN_ERR, REM_INV_REQ_ERR", "8192, LOC_PROT_ERR, REM_OP_ERR"})
  void shouldFailOnlyTheQueuePairThatTookABadReceive(int length, WcStatus here, WcStatus there) {
    try (Bed bed = new Bed(2, 16)) {
      int key = bed.pair.b.mr.lkey() ^ (here == WcStatus.LOC_PROT_ERR ? 1 : 0);
      bed.srq.postReceive(bed.rr.receive(77).sge(bed.pair.b.mr.addr(), length, key));
      bed.post(1);
      bed.send(0, 64);
      bed.pair.run();
      assertEquals(there, bed.pair.a.oneSent().status());
      WorkCompletion wc = bed.pair.b.oneReceived();
      assertEquals(77, wc.wrId());
      assertEquals(here, wc.status());
      bed.send(1, 64);
      bed.pair.run();
      assertEquals(WcStatus.SUCCESS, bed.pair.b.oneReceived().status());
    }
  }

  @Test
  void shouldTakeTheRegionsOfItsOwnDomain() {
    try (Pair pair = new Pair()) {
      ProtectionDomain own = pair.b.hca.allocPd();
      SharedReceiveQueue srq = pair.b.hca.createSrq(own, new SrqAttr(4, 1, 0));
      MemoryRegion mr = pair.b.hca.regMr(own, pair.b.memory, Access.LOCAL_WRITE);
      QueuePair to = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(pair.b.recvCq, 4).withSrq(srq));
      Bed.bringUp(pair.a.qp, pair.b.hca.lid(), to.qpNum(), 7);
      Bed.bringUp(to, pair.a.hca.lid(), pair.a.qp.qpNum(), 7);
      srq.postReceive(new ReceiveRequest().receive(1).sge(mr, 0, 64));
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 64));
      pair.run();
      assertEquals(WcStatus.SUCCESS, pair.b.oneReceived().status());
    }
  }

  @Test
  void shouldRefuseWhatIsInUseOrOutOfRange() {
    try (Bed bed = new Bed(1, 4)) {
      Hca hca = bed.pair.b.hca;
      refused(Errno.EBUSY, () -> hca.destroySrq(bed.srq));
      refused(Errno.EINVAL, () -> bed.receivers.getFirst().postReceive(bed.rr.receive(1)));
      refused(Errno.EINVAL, () -> bed.srq.postReceive(
          bed.rr.receive(1).sge(bed.pair.b.mr, 0, 1).sge(bed.pair.b.mr, 0, 1).sge(bed.pair.b.mr, 0, 1)));
      for (SrqAttr bad : List.of(new SrqAttr(0, 1, 0), new SrqAttr(1 << 30, 1, 0), new SrqAttr(1, -1, 0), new SrqAttr(1, 1000, 0))) {
        refused(Errno.EINVAL, () -> hca.createSrq(bed.pair.b.pd, bad));
      }
      refused(Errno.EINVAL, () -> hca.createSrq(bed.pair.a.pd, new SrqAttr(1, 1, 0)));
      refused(Errno.EINVAL, () -> bed.pair.a.hca.createQp(bed.pair.a.pd, QpInitAttr.of(bed.pair.a.sendCq, 4).withSrq(bed.srq)));
      hca.destroyQp(bed.receivers.getFirst());
      hca.destroySrq(bed.srq);
      refused(Errno.EINVAL, () -> hca.destroySrq(bed.srq));
      refused(Errno.EINVAL, () -> bed.post(1));
      refused(Errno.EINVAL, () -> bed.srq.arm(0));
      refused(Errno.EINVAL, () -> hca.createQp(bed.pair.b.pd, QpInitAttr.of(bed.pair.b.sendCq, 4).withSrq(bed.srq)));
    }
  }

  @Test
  void shouldRefuseMoreQueuesThanTheDeviceHolds() {
    try (Pair pair = Pair.with("weft.hca.shared-receive-queues-max = 1")) {
      SharedReceiveQueue one = pair.a.hca.createSrq(pair.a.pd, new SrqAttr(1, 1, 0));
      refused(Errno.ENOMEM, () -> pair.a.hca.createSrq(pair.a.pd, new SrqAttr(1, 1, 0)));
      assertEquals(List.of(new HcaSnapshot.Srq(one.number(), 0, 1, 0, false, 0)), pair.a.hca.inspect().sharedReceiveQueues());
      pair.a.hca.destroySrq(one);
      assertFalse(one == pair.a.hca.createSrq(pair.a.pd, new SrqAttr(1, 1, 0)));
    }
  }
}
