package dev.weft.hca.completion;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CompletionQueueEx;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Resizing, and reading entries in place; also of rdma-core's tests/test_cq.py and test_cqex.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
@Timeout(180)
class CompletionQueueExTest {
  /** A connected pair where a sends and b receives through an extended queue. */
  private static final class Bed implements AutoCloseable {
    final Pair pair = new Pair();
    final CompletionQueueEx cq;
    final QueuePair from;
    final QueuePair to;
    private int posted;

    Bed(int cqe, boolean timestamps, boolean singleThreaded) {
      cq = pair.b.hca.createCqEx(new CqExAttr(cqe, ReceiveContext.POLLING, null, timestamps, singleThreaded));
      from = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.sendCq, 64));
      to = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(cq.cq(), 64));
      from.modify(QpAttr.init(Access.ALL));
      to.modify(QpAttr.init(Access.ALL));
      from.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(to.qpNum()).rqPsn(1).pathMtu(1024));
      to.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(from.qpNum()).rqPsn(1).pathMtu(1024));
      from.modify(QpAttr.rts(1));
      to.modify(QpAttr.rts(1));
    }

    /** b receives so many messages, whose immediate values and lengths tell which. */
    void receive(int count) {
      for (int i = 0; i < count; i++, posted++) {
        to.postReceive(pair.b.rr.receive(posted).sge(pair.b.mr, 0, 64));
        from.postSend(pair.a.wr.sendWithImm(1000 + posted).sge(pair.a.mr, 0, posted % 64));
      }
      pair.run();
    }

    List<Long> pollAll() {
      return Pair.Side.drain(cq.cq()).stream().map(WorkCompletion::wrId).toList();
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  /** tests/test_cq.py and test_cqex.py. */
  @Nested
  class RdmaCoreCq {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void testResizeCq(boolean singleThreaded) {
      try (Bed bed = new Bed(8, false, singleThreaded)) {
        bed.receive(6);
        CompletionQueue cq = bed.cq.cq();
        refused(Errno.EINVAL, () -> cq.resize(5));
        refused(Errno.EINVAL, () -> cq.resize(0));
        refused(Errno.EINVAL, () -> cq.resize(Integer.MAX_VALUE));
        assertEquals(8, cq.capacity());
        cq.resize(20);
        assertEquals(20, cq.capacity());
        bed.receive(14);
        assertFalse(cq.isOverrun());
        assertEquals(20, cq.size());
        List<Long> expected = new ArrayList<>();
        for (long i = 0; i < 20; i++) {
          expected.add(i);
        }
        assertEquals(expected, bed.pollAll());
        cq.resize(1);
        bed.receive(1);
        assertEquals(List.of(20L), bed.pollAll());
        bed.receive(2);
        assertTrue(cq.isOverrun());
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void testRcTrafficCqEx(boolean singleThreaded) {
      try (Bed bed = new Bed(8, true, singleThreaded)) {
        bed.receive(5);
        int seen = 0;
        assertTrue(bed.cq.startPoll());
        do {
          assertEquals(seen, bed.cq.wrId());
          assertEquals(WcStatus.SUCCESS, bed.cq.status());
          assertEquals(WcOpcode.RECV, bed.cq.opcode());
          assertEquals(seen, bed.cq.byteLen());
          assertTrue(bed.cq.hasImm());
          assertEquals(1000 + seen, bed.cq.immData());
          assertFalse(bed.cq.hasInvalidatedRkey());
          assertEquals(bed.to.qpNum(), bed.cq.qpNum());
          assertEquals(bed.pair.a.hca.lid(), bed.cq.srcLid());
          assertEquals(0, bed.cq.vendorErr());
          seen++;
        } while (bed.cq.nextPoll());
        bed.cq.endPoll();
        assertEquals(5, seen);
        assertFalse(bed.cq.startPoll(), "nothing is left");
      }
    }
  }

  @Test
  void shouldLeaveWhatWasNotReached() {
    try (Bed bed = new Bed(8, false, false)) {
      bed.receive(4);
      assertTrue(bed.cq.startPoll());
      assertTrue(bed.cq.nextPoll());
      bed.cq.endPoll();
      assertEquals(List.of(2L, 3L), bed.pollAll());
    }
  }

  @Test
  void shouldFreeAnEntryAsSoonAsTheNextIsRead() {
    try (Bed bed = new Bed(4, false, false)) {
      bed.receive(4);
      assertTrue(bed.cq.startPoll());
      assertTrue(bed.cq.nextPoll());
      bed.receive(1);
      assertFalse(bed.cq.cq().isOverrun());
      assertEquals(1, bed.cq.wrId(), "the entry that is being read stays");
      bed.receive(1);
      assertTrue(bed.cq.cq().isOverrun());
      bed.cq.endPoll();
    }
  }

  @Test
  void shouldResizeInTheMiddleOfABatch() {
    try (Bed bed = new Bed(4, false, false)) {
      bed.receive(4);
      assertTrue(bed.cq.startPoll());
      assertTrue(bed.cq.nextPoll());
      bed.cq.cq().resize(9);
      bed.receive(6);
      for (int i = 1; i < 10; i++) {
        assertEquals(i, bed.cq.wrId());
        assertEquals(i < 9, bed.cq.nextPoll());
      }
      bed.cq.endPoll();
      assertFalse(bed.cq.cq().isOverrun());
    }
  }

  @Test
  void shouldTellTheVirtualTimeOfEachCompletion() {
    try (Bed bed = new Bed(8, true, false)) {
      bed.receive(1);
      long between = bed.pair.fabric.system().nowNs();
      bed.pair.fabric.system().runFor(1_000_000);
      bed.receive(1);
      long end = bed.pair.fabric.system().nowNs();
      assertTrue(bed.cq.startPoll());
      long first = bed.cq.completionTimestampNs();
      assertTrue(bed.cq.nextPoll());
      long second = bed.cq.completionTimestampNs();
      bed.cq.endPoll();
      assertTrue(0 < first && first <= between, first + " until " + between);
      assertTrue(between + 1_000_000 <= second && second <= end, second + " from " + between + " to " + end);
    }
  }

  /** rdma-core's tests/test_phc_timestamp.py: both ends' stamps are of one clock, that of the fabric, and of the right moments. */
  @Test
  void testTimestampFreeRunningRcTraffic() {
    try (Pair pair = new Pair()) {
      CompletionQueueEx sent = pair.a.hca.createCqEx(new CqExAttr(16, ReceiveContext.POLLING, null, true, false));
      CompletionQueueEx received = pair.b.hca.createCqEx(new CqExAttr(16, ReceiveContext.POLLING, null, true, false));
      QueuePair from = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(sent.cq(), 16));
      QueuePair to = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(received.cq(), 16));
      from.modify(QpAttr.init(Access.ALL));
      to.modify(QpAttr.init(Access.ALL));
      from.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(to.qpNum()).rqPsn(1).pathMtu(1024));
      to.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(from.qpNum()).rqPsn(1).pathMtu(1024));
      from.modify(QpAttr.rts(1));
      to.modify(QpAttr.rts(1));
      for (int i = 0; i < 5; i++) {
        long beginNs = pair.fabric.system().nowNs();
        to.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, 0, 1000));
        from.postSend(pair.a.wr.send().sge(pair.a.mr, 0, 1000).signaled());
        pair.run();
        assertTrue(sent.startPoll() && received.startPoll());
        assertTrue(beginNs + 2_000 < received.completionTimestampNs(), "two links of 1 us and 1000 bytes at 10 Gb/s");
        assertTrue(received.completionTimestampNs() + 2_000 <= sent.completionTimestampNs(), "the acknowledgement comes back");
        assertTrue(sent.completionTimestampNs() < beginNs + 10_000, "when it happened, not when it was polled");
        sent.endPoll();
        received.endPoll();
      }
    }
  }

  @Test
  void shouldRefuseMisuse() {
    try (Bed bed = new Bed(8, false, false)) {
      refused(Errno.EINVAL, bed.cq::wrId);
      refused(Errno.EINVAL, bed.cq::nextPoll);
      refused(Errno.EINVAL, bed.cq::endPoll);
      bed.receive(2);
      assertTrue(bed.cq.startPoll());
      refused(Errno.EBUSY, bed.cq::startPoll);
      refused(Errno.EBUSY, () -> bed.cq.cq().poll(new WorkCompletion()));
      refused(Errno.EOPNOTSUPP, bed.cq::completionTimestampNs);
      assertTrue(bed.cq.nextPoll());
      assertFalse(bed.cq.nextPoll());
      refused(Errno.EINVAL, bed.cq::wrId);
      bed.cq.endPoll();
      refused(Errno.EINVAL, bed.cq::endPoll);
      refused(Errno.EINVAL, () -> bed.pair.b.hca.createCqEx(new CqExAttr(0, ReceiveContext.POLLING, null, false, false)));
    }
  }

  /** The rule of the batch, with real threads: nobody sees an entry twice, none is lost, and nobody polls inside a batch. */
  @Test
  void shouldKeepOtherThreadsOutOfABatch() throws InterruptedException {
    try (Bed bed = new Bed(64, false, false)) {
      bed.receive(60);
      CountDownLatch begun = new CountDownLatch(1);
      AtomicInteger others = new AtomicInteger();
      assertTrue(bed.cq.startPoll());
      Thread other = Thread.ofPlatform().daemon().start(() -> {
        begun.countDown();
        WorkCompletion wc = new WorkCompletion();
        while (bed.cq.cq().poll(wc)) {
          others.incrementAndGet();
        }
      });
      assertTrue(begun.await(90, TimeUnit.SECONDS));
      int own = 1;
      while (own < 30 && bed.cq.nextPoll()) {
        own++;
      }
      assertEquals(0, others.get(), "the other thread waits");
      bed.cq.endPoll();
      other.join(10_000);
      assertEquals(30, own);
      assertEquals(30, others.get());
    }
  }
}
