package dev.weft.hca.verbs;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.completion.Cq;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** rdma-core's tests/test_pd.py, test_cq.py, test_cqex.py, test_qp.py, test_device.py: objects; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class RdmaCoreObjectsTest {
  private final Pair pair = new Pair();
  private final Hca hca = pair.a.hca;

  @AfterEach
  void close() {
    pair.close();
  }

  private QpInitAttr shape(int sendWr, int recvWr, int sendSge, int recvSge, int inline) {
    return new QpInitAttr(pair.a.sendCq, pair.a.recvCq, sendWr, recvWr, sendSge, recvSge, inline, false);
  }

  /** tests/test_pd.py */
  @Nested
  class Pd {
    @Test
    void testAllocPd() {
      assertSame(hca, hca.allocPd().hca());
    }

    @Test
    void testDeallocPd() {
      hca.deallocPd(hca.allocPd());
    }

    @Test
    void testMultiplePdCreation() {
      Set<Integer> handles = new HashSet<>();
      for (int i = 0; i < 200; i++) {
        ProtectionDomain pd = hca.allocPd();
        assertTrue(handles.add(pd.handle()));
        hca.deallocPd(pd);
      }
    }

    @Test
    void testDestroyPdTwice() {
      ProtectionDomain pd = hca.allocPd();
      hca.deallocPd(pd);
      refused(Errno.EINVAL, () -> hca.deallocPd(pd));
    }

    @Test
    void shouldRefuseToDeallocateWhileRegionsOrQueuePairsRemain() {
      refused(Errno.EBUSY, () -> hca.deallocPd(pair.a.pd));
      hca.destroyQp(pair.a.qp);
      refused(Errno.EBUSY, () -> hca.deallocPd(pair.a.pd));
      hca.deregMr(pair.a.mr);
      hca.deallocPd(pair.a.pd);
    }

    @Test
    void shouldRefuseADeallocatedOrForeignDomain() {
      ProtectionDomain pd = hca.allocPd();
      hca.deallocPd(pd);
      refused(Errno.EINVAL, () -> hca.regMr(pd, pair.a.memory, Access.ALL));
      refused(Errno.EINVAL, () -> hca.createQp(pd, shape(1, 1, 1, 1, 0)));
      refused(Errno.EINVAL, () -> hca.deallocPd(pair.b.pd));
      refused(Errno.EINVAL, () -> hca.regMr(pair.b.pd, pair.a.memory, Access.ALL));
      refused(Errno.EINVAL, () -> hca.createQp(pair.b.pd, shape(1, 1, 1, 1, 0)));
    }
  }

  /** tests/test_cq.py, test_cqex.py */
  @Nested
  class Cq {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100, 65536})
    void testCreateCq(int cqe) {
      CompletionQueue cq = hca.createCq(cqe, ReceiveContext.POLLING, null);
      assertTrue(cq.capacity() >= cqe);
      hca.destroyCq(cq);
    }

    @ParameterizedTest
    @CsvSource({"1,ISR", "64,ISR", "64,TASK_QUEUE", "64,PROCESS"})
    void testCreateCqWithCompChannel(int cqe, ReceiveContext context) {
      CompletionQueue cq = hca.createCq(cqe, context, q -> {});
      assertEquals(CompletionQueue.Armed.ARMED, cq.arm(false));
      pair.run();
      hca.destroyCq(cq);
      pair.run();
      refused(Errno.EINVAL, () -> cq.arm(false));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, Integer.MAX_VALUE})
    void testCreateCqBadFlow(int cqe) {
      refused(Errno.EINVAL, () -> hca.createCq(cqe, ReceiveContext.POLLING, null));
    }

    @Test
    void testCreateCqExBadFlow() {
      refused(Errno.EINVAL, () -> hca.createCq(4, ReceiveContext.POLLING, q -> {}));
      refused(Errno.EINVAL, () -> hca.createCq(4, ReceiveContext.ISR, null));
    }

    @Test
    void shouldNotStartTheActorOfAQueueThatIsGoneAgain() {
      CompletionQueue cq = hca.createCq(4, ReceiveContext.ISR, q -> {});
      hca.destroyCq(cq);
      pair.run();
      refused(Errno.EINVAL, () -> hca.destroyCq(cq));
    }

    @Test
    void shouldRefuseToDestroyACompletionQueueInUse() {
      refused(Errno.EBUSY, () -> hca.destroyCq(pair.a.sendCq));
      refused(Errno.EBUSY, () -> hca.destroyCq(pair.a.recvCq));
      hca.destroyQp(pair.a.qp);
      hca.destroyCq(pair.a.sendCq);
      hca.destroyCq(pair.a.recvCq);
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(1, 1, 1, 1, 0)));
    }

    @Test
    void shouldRefuseToArmAPollingQueue() {
      refused(Errno.EINVAL, () -> pair.a.sendCq.arm(false));
    }
  }

  /** tests/test_qp.py and the state and queue bad flows of test_qpex.py */
  @Nested
  class Qp {
    @Test
    void testCreateRcQpNoAttr() {
      QueuePair qp = hca.createQp(pair.a.pd, shape(1, 0, 0, 0, 0));
      assertEquals(QpState.RESET, qp.state());
      hca.destroyQp(qp);
    }

    @Test
    void testCreateRcQpWithAttr() {
      QpInitAttr attr = shape(17, 9, 3, 2, 100);
      QueuePair qp = hca.createQp(pair.a.pd, attr);
      assertEquals(attr, qp.initAttr());
      assertNotEquals(pair.a.qp.qpNum(), qp.qpNum());
      hca.destroyQp(qp);
      assertTrue(qp.isDestroyed());
    }

    @Test
    void testQueryRcQp() {
      pair.connect(7, 8, init -> init, rtr -> rtr.minRnrTimer(5).maxDestRdAtomic(3), rts -> rts.timeout(9).retryCnt(2).rnrRetry(1));
      QpAttr q = pair.a.qp.query();
      assertEquals(QpState.RTS, q.state());
      assertEquals(7, q.sqPsn());
      assertEquals(8, q.rqPsn());
      assertEquals(Pair.MTU, q.pathMtu());
      assertEquals(pair.b.qp.qpNum(), q.destQpNum());
      assertEquals(pair.b.hca.lid(), q.destLid());
      assertEquals(5, q.minRnrTimer());
      assertEquals(3, q.maxDestRdAtomic());
      assertEquals(9, q.timeout());
      assertEquals(2, q.retryCnt());
      assertEquals(1, q.rnrRetry());
      assertEquals(Access.ALL, q.accessFlags());
    }

    @Test
    void testModifyRcQpRdAtomic() {
      pair.connect(1, 1, init -> init, rtr -> rtr.maxDestRdAtomic(12), rts -> rts.maxRdAtomic(12));
      assertEquals(12, pair.b.qp.query().maxRdAtomic());
      assertEquals(12, pair.b.qp.query().maxDestRdAtomic());
    }

    @ParameterizedTest
    @CsvSource({"0,1,1,1,0", "1048577,1,1,1,0", "-1,1,1,1,0"})
    void testCreateQpExWithIllegalCapsMaxSendWr(int sendWr, int recvWr, int sendSge, int recvSge, int inline) {
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(sendWr, recvWr, sendSge, recvSge, inline)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 33})
    void testCreateQpExWithIllegalCapsMaxSendSge(int sge) {
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(1, 1, sge, 1, 0)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 33})
    void testCreateQpExWithIllegalCapsMaxRecvSge(int sge) {
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(1, 1, 1, sge, 0)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1048577})
    void testCreateQpExWithIllegalCapsMaxRecvWr(int wr) {
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(1, wr, 1, 1, 0)));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1025})
    void shouldRefuseIllegalInlineSizes(int inline) {
      refused(Errno.EINVAL, () -> hca.createQp(pair.a.pd, shape(1, 1, 1, 1, inline)));
    }

    @Test
    void testPostReceiveQpStateBadFlow() {
      refused(Errno.EINVAL, () -> pair.a.post(1, 0, 8));
      pair.a.qp.modify(QpAttr.init(Access.ALL));
      pair.a.post(1, 0, 8);
      assertEquals(1, pair.a.qp.receiveQueueSize());
    }

    @ParameterizedTest
    @ValueSource(strings = {"RESET", "INIT", "RTR"})
    void testPostSendQpStateBadFlow(QpState state) {
      if (state != QpState.RESET) {
        pair.a.qp.modify(QpAttr.init(Access.ALL));
      }
      if (state == QpState.RTR) {
        pair.a.qp.modify(QpAttr.rtr().destLid(2).destQpNum(0x11).rqPsn(0).pathMtu(Pair.MTU));
      }
      refused(Errno.EINVAL, () -> pair.a.send(pair.a.wr.send()));
      assertEquals(0, pair.a.qp.sendQueueSize());
    }

    @Test
    void testFullRqBadFlow() {
      pair.connect(attr -> {});
      for (int i = 0; i < 64; i++) {
        pair.b.post(i, 0, 8);
      }
      refused(Errno.ENOMEM, () -> pair.b.post(64, 0, 8));
      assertEquals(64, pair.b.qp.receiveQueueSize());
    }

    @Test
    void testFullSqBadFlow() {
      pair.connect(attr -> {});
      for (int i = 0; i < 64; i++) {
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).wrId(i).signaled());
      }
      refused(Errno.ENOMEM, () -> pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey())));
      pair.run();
      assertEquals(64, pair.a.sent().size());
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()));
    }

    @Test
    void testRqWithLargerSglBadFlow() {
      pair.connect(attr -> {});
      ReceiveRequest rr = new ReceiveRequest().receive(1);
      WorkRequest wr = new WorkRequest().send();
      for (int i = 0; i < 5; i++) {
        rr.sge(pair.a.mr, 0, 1);
        wr.sge(pair.a.mr, 0, 1);
      }
      refused(Errno.EINVAL, () -> pair.a.qp.postReceive(rr));
      refused(Errno.EINVAL, () -> pair.a.qp.postSend(wr));
    }

    @Test
    void shouldRefuseEverythingOnADestroyedQueuePair() {
      pair.connect(attr -> {});
      hca.destroyQp(pair.a.qp);
      refused(Errno.EINVAL, () -> pair.a.send(pair.a.wr.send()));
      refused(Errno.EINVAL, () -> pair.a.post(1, 0, 8));
      refused(Errno.EINVAL, () -> pair.a.qp.modify(new QpAttr().state(QpState.RESET)));
      refused(Errno.EINVAL, () -> hca.destroyQp(pair.a.qp));
    }

    @Test
    void shouldDestroyAQueuePairInTheMiddleOfATransfer() {
      pair.connect(attr -> attr.timeout(8).retryCnt(1));
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 1 << 19).signaled());
      pair.runUntil(() -> pair.b.counters().packetsReceived() > 20);
      pair.b.hca.destroyQp(pair.b.qp);
      pair.run();
      assertEquals(WcStatus.RETRY_EXC_ERR, pair.a.oneSent().status());
    }
  }

  /** tests/test_device.py */
  @Nested
  class Device {
    @Test
    void testQueryDevice() {
      HcaSettings limits = hca.settings();
      refused(Errno.EINVAL, () -> hca.createCq(limits.completionsMax() + 1, ReceiveContext.POLLING, null));
      assertTrue(limits.sgeMax() >= 1 && limits.rdAtomicMax() >= 1);
    }

    @Test
    void testQueryPort() {
      HcaSnapshot snapshot = hca.inspect();
      assertTrue(snapshot.linkUp());
      assertEquals(hca.lid(), snapshot.lid());
      assertNotEquals(0, snapshot.lid());
      assertFalse(snapshot.linkCredits().isEmpty());
    }

    @Test
    void shouldCountItsObjectsInTheSnapshot() {
      HcaSnapshot snapshot = hca.inspect();
      assertEquals(1, snapshot.queuePairs().size());
      assertEquals(2, snapshot.completionQueues().size());
      assertEquals(1, snapshot.memoryRegions().size());
    }
  }

  /** Limits of the device, with ENOMEM beyond them. */
  @Nested
  class Limits {
    @Test
    void shouldCountTheEventsThatNobodyFetches() {
      try (Pair small = Pair.with("weft.hca.async-events-max = 3")) {
        small.a.events();
        for (int i = 0; i < 5; i++) {
          CompletionQueue cq = small.a.hca.createCq(1, ReceiveContext.POLLING, null);
          QueuePair qp = small.a.hca.createQp(small.a.pd, QpInitAttr.of(cq, 4));
          qp.modify(QpAttr.init(0));
          qp.postReceive(small.a.rr.receive(1));
          qp.postReceive(small.a.rr.receive(2));
          qp.modify(new QpAttr().state(QpState.ERR));
          assertTrue(cq.isOverrun());
        }
        assertEquals(3, small.a.events().size());
        assertEquals(2, small.a.hca.asyncEventsLost());
      }
    }

    @Test
    void shouldRunQueuesOfTheGreatestDepth() {
      int depth = hca.settings().workRequestsMax();
      CompletionQueue cq = hca.createCq(2 * depth, ReceiveContext.POLLING, null);
      QueuePair qp = hca.createQp(pair.a.pd, new QpInitAttr(cq, cq, depth, depth, 1, 1, 0, true));
      qp.modify(QpAttr.init(Access.ALL));
      qp.modify(QpAttr.rtr().destLid(hca.lid()).destQpNum(qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
      qp.modify(QpAttr.rts(1));
      for (int i = 0; i < depth; i++) {
        qp.postReceive(pair.a.rr.receive(i));
        qp.postSend(pair.a.wr.send().wrId(i));
      }
      refused(Errno.ENOMEM, () -> qp.postReceive(pair.a.rr));
      refused(Errno.ENOMEM, () -> qp.postSend(pair.a.wr));
      pair.run();
      assertEquals(2 * depth, cq.size());
      assertEquals(QpState.RTS, qp.state());
    }

    @Test
    void shouldRefuseMoreObjectsThanTheDeviceHolds() {
      try (Pair small = Pair.with("weft.hca { queue-pairs-max = 2, completion-queues-max = 3, memory-regions-max = 2, protection-domains-max = 2 }")) {
        Hca h = small.a.hca;
        h.createQp(small.a.pd, QpInitAttr.of(small.a.sendCq, 4));
        refused(Errno.ENOMEM, () -> h.createQp(small.a.pd, QpInitAttr.of(small.a.sendCq, 4)));
        CompletionQueue third = h.createCq(4, ReceiveContext.POLLING, null);
        refused(Errno.ENOMEM, () -> h.createCq(4, ReceiveContext.POLLING, null));
        h.destroyCq(third);
        h.createCq(4, ReceiveContext.POLLING, null);
        MemoryRegion second = h.regMr(small.a.pd, small.a.memory, Access.ALL);
        refused(Errno.ENOMEM, () -> h.regMr(small.a.pd, small.a.memory, Access.ALL));
        h.deregMr(second);
        h.regMr(small.a.pd, small.a.memory, Access.ALL);
        ProtectionDomain another = h.allocPd();
        refused(Errno.ENOMEM, h::allocPd);
        h.deallocPd(another);
        h.allocPd();
        assertEquals(2, h.inspect().protectionDomains().size());
      }
    }
  }
}
