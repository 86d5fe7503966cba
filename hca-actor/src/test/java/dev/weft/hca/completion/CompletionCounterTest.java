package dev.weft.hca.completion;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionCounter.Operation;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkRequest;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion counters, local and remote. */
@Tag("simulation")
class CompletionCounterTest {
  /** One counter for each operation of a side's queue pair, which is in RESET. */
  private static Map<Operation, CompletionCounter> attachAll(Pair.Side side) {
    Map<Operation, CompletionCounter> all = new EnumMap<>(Operation.class);
    for (Operation operation : Operation.values()) {
      CompletionCounter counter = side.hca.createCounter();
      side.hca.attachCounter(side.qp, counter, EnumSet.of(operation));
      all.put(operation, counter);
    }
    return all;
  }

  private static long[] counts(Map<Operation, CompletionCounter> counters) {
    return counters.values().stream().mapToLong(CompletionCounter::count).toArray();
  }

  private static void traffic(Pair pair, int rounds) {
    for (int i = 0; i < rounds; i++) {
      pair.b.post(i, 800_000, 8192);
      pair.b.post(i, 800_000, 8192);
      pair.b.post(i, 800_000, 8192);
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 3000));
      pair.a.send(pair.a.wr.sendWithImm(7).sge(pair.a.mr, 0, 0));
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 5000));
      pair.a.send(pair.a.wr.writeWithImm(pair.b.mr.addr(), pair.b.mr.rkey(), 8).sge(pair.a.mr, 0, 10));
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 0));
      pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 100_000, 7000));
      pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 1).sge(pair.a.mr, 200_000, 8));
      pair.a.send(pair.a.wr.compareAndSwap(pair.b.mr.addr(), pair.b.mr.rkey(), 1, 2).sge(pair.a.mr, 200_000, 8).signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(3, pair.b.received().size());
    }
  }

  @Test
  void shouldCountWhatUnreliableQueuePairsCompleteAndNotWhatTheyDrop() {
    for (QpType type : new QpType[] {QpType.UC, QpType.UD}) {
      try (TypedPair p = TypedPair.of(type)) {
        CompletionCounter sends = p.a.hca.createCounter();
        CompletionCounter receives = p.b.hca.createCounter();
        CompletionCounter writes = p.b.hca.createCounter();
        QueuePair from = TypedPair.create(type, p.a);
        QueuePair to = TypedPair.create(type, p.b);
        p.a.hca.attachCounter(from, sends, EnumSet.of(Operation.SEND, Operation.RDMA_WRITE));
        p.b.hca.attachCounter(to, receives, EnumSet.of(Operation.RECV));
        p.b.hca.attachCounter(to, writes, EnumSet.of(Operation.REMOTE_RDMA_WRITE));
        TypedPair.toRts(from, p.b, to);
        TypedPair.toRts(to, p.a, from);
        to.postReceive(p.b.rr.receive(1).sge(p.b.mr, 0, 4096));
        for (int i = 0; i < 2; i++) {
          WorkRequest send = p.a.wr.send().sge(p.a.mr, 0, 100);
          from.postSend(type == QpType.UD ? send.to(p.aToB(), to.qpNum(), TypedPair.QKEY) : send);
        }
        if (type == QpType.UC) {
          from.postSend(p.a.wr.write(p.b.mr.addr(), p.b.mr.rkey()).sge(p.a.mr, 0, 5000));
          from.postSend(p.a.wr.write(p.b.mr.addr(), p.b.mr.rkey() + 1).sge(p.a.mr, 0, 5000));
        }
        WorkRequest bad = p.a.wr.send().sge(p.a.mr.addr(), 8, p.a.mr.lkey() + 1);
        from.postSend(type == QpType.UD ? bad.to(p.aToB(), to.qpNum(), TypedPair.QKEY) : bad);
        p.run();
        assertEquals(type == QpType.UC ? 4 : 2, sends.count(), type.name());
        assertEquals(1, sends.errorCount(), type.name());
        assertEquals(1, receives.count(), type.name());
        assertEquals(type == QpType.UC ? 1 : 0, writes.count(), type.name());
      }
    }
  }

  @Test
  void shouldCountEachOperationWhereItStartsAndWhereItEnds() {
    try (Pair pair = new Pair()) {
      Map<Operation, CompletionCounter> a = attachAll(pair.a);
      Map<Operation, CompletionCounter> b = attachAll(pair.b);
      pair.connect(attr -> {});
      traffic(pair, 3);
      // SEND, RECV, RDMA_WRITE, RDMA_READ, ATOMIC, and then what the peer did. Nothing was signaled.
      assertEquals("[6, 0, 9, 3, 6, 0, 0, 0]", Arrays.toString(counts(a)));
      assertEquals("[0, 9, 0, 0, 0, 9, 3, 6]", Arrays.toString(counts(b)));
      assertEquals(0, a.values().stream().mapToLong(CompletionCounter::errorCount).sum());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void shouldCountOnceHoweverOftenPacketsAreLostAndRepeated(long seed) {
    LinkFaults faults = new LinkFaults(0.05, 0.05, 0, 0, 0);
    try (Pair pair = new Pair(seed, faults, Pair.QpShape.DEFAULT, Access.ALL)) {
      Map<Operation, CompletionCounter> a = attachAll(pair.a);
      Map<Operation, CompletionCounter> b = attachAll(pair.b);
      pair.connect(attr -> attr.timeout(8));
      traffic(pair, 10);
      assertEquals(QpState.RTS, pair.a.qp.state());
      assertEquals("[20, 0, 30, 10, 20, 0, 0, 0]", Arrays.toString(counts(a)));
      assertEquals("[0, 30, 0, 0, 0, 30, 10, 20]", Arrays.toString(counts(b)));
    }
  }

  @Test
  void shouldCountErrorsAndFlushedRequestsApart() {
    try (Pair pair = new Pair()) {
      Map<Operation, CompletionCounter> a = attachAll(pair.a);
      Map<Operation, CompletionCounter> b = attachAll(pair.b);
      pair.connect(attr -> {});
      pair.b.post(1, 0, 8);
      pair.b.post(2, 0, 8);
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey() ^ 1).sge(pair.a.mr, 0, 8));
      pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8));
      pair.run();
      assertEquals(1, a.get(Operation.RDMA_WRITE).errorCount());
      assertEquals(1, a.get(Operation.SEND).errorCount());
      assertEquals(2, b.get(Operation.RECV).errorCount());
      assertEquals(0, b.get(Operation.REMOTE_RDMA_WRITE).count());
    }
  }

  @Test
  void shouldShowTheBytesOfWhatItHasCounted() {
    try (Pair pair = new Pair()) {
      CompletionCounter writes = pair.b.hca.createCounter();
      pair.b.hca.attachCounter(pair.b.qp, writes, EnumSet.of(Operation.REMOTE_RDMA_WRITE));
      pair.connect(attr -> {});
      pair.a.fill(3);
      pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 50_000));
      pair.runUntil(() -> writes.count() == 1);
      pair.assertSame(0, 0, 50_000);
    }
  }

  @Test
  void shouldServeSeveralOperationsAndQueuePairsAndBeSetByItsOwner() {
    try (Pair pair = new Pair()) {
      CompletionCounter all = pair.b.hca.createCounter();
      pair.b.hca.attachCounter(pair.b.qp, all, EnumSet.of(Operation.RECV, Operation.REMOTE_RDMA_WRITE));
      pair.connect(attr -> {});
      traffic(pair, 1);
      assertEquals(6, all.count());
      all.add(-6);
      assertEquals(0, all.count());
      all.set(40, 2);
      traffic(pair, 1);
      assertEquals(46, all.count());
      assertEquals(2, all.errorCount());
    }
  }

  @Test
  void shouldRefuseWhatIsInUseTooLateOrTooMany() {
    try (Pair pair = Pair.with("weft.hca.completion-counters-max = 2")) {
      Hca hca = pair.a.hca;
      CompletionCounter one = hca.createCounter();
      CompletionCounter two = hca.createCounter();
      refused(Errno.ENOMEM, hca::createCounter);
      hca.attachCounter(pair.a.qp, one, EnumSet.of(Operation.SEND));
      refused(Errno.EBUSY, () -> hca.attachCounter(pair.a.qp, two, EnumSet.of(Operation.RECV, Operation.SEND)));
      hca.attachCounter(pair.a.qp, two, EnumSet.of(Operation.RECV));
      refused(Errno.EINVAL, () -> hca.attachCounter(pair.b.qp, one, EnumSet.of(Operation.SEND)));
      refused(Errno.EBUSY, () -> hca.destroyCounter(one));
      pair.connect(attr -> {});
      refused(Errno.EINVAL, () -> hca.attachCounter(pair.a.qp, one, EnumSet.of(Operation.RDMA_READ)));
      hca.destroyQp(pair.a.qp);
      hca.destroyCounter(one);
      refused(Errno.EINVAL, () -> hca.destroyCounter(one));
      refused(Errno.EINVAL, () -> hca.attachCounter(pair.a.qp, one, EnumSet.of(Operation.SEND)));
      hca.createCounter();
    }
  }
}
