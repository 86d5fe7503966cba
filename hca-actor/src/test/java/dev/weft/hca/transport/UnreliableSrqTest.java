package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SharedReceiveQueue;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.TypedPair;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** UC and UD queue pairs that take their receives from a shared queue, of another protection domain than theirs. */
@Tag("simulation")
class UnreliableSrqTest {
  private static final int GRH = 40;
  private static final int RECEIVE = 4096;

  /** Two queue pairs of {@code a}, each with one of {@code b} as its target; those of {@code b} share a receive queue. */
  private static final class Bed implements AutoCloseable {
    final TypedPair p;
    final QpType type;
    final MemoryRegion mr;
    final SharedReceiveQueue srq;
    final QueuePair[] from = new QueuePair[2];
    final QueuePair[] to = new QueuePair[2];
    final ReceiveRequest rr = new ReceiveRequest();
    final AddressHandle handle;

    Bed(QpType type) {
      this.type = type;
      p = TypedPair.of(type);
      p.a.fill(3);
      ProtectionDomain shared = p.b.hca.allocPd();
      mr = p.b.hca.regMr(shared, p.b.memory, 0x7000_0000L, Access.LOCAL_WRITE);
      srq = p.b.hca.createSrq(shared, new SrqAttr(16, 1, 0));
      for (int i = 0; i < 2; i++) {
        from[i] = TypedPair.create(type, p.a);
        to[i] = p.b.hca.createQp(p.b.pd,
            new QpInitAttr(p.b.sendCq, p.b.recvCq, 4, 0, 1, 0, 0, false).withType(type).withSrq(srq));
        TypedPair.toRts(from[i], p.b, to[i]);
        TypedPair.toRts(to[i], p.a, from[i]);
      }
      handle = p.aToB();
    }

    int headerBytes() {
      return type == QpType.UD ? GRH : 0;
    }

    void post(int wrId, int length) {
      srq.postReceive(rr.receive(wrId).sge(mr, (long) wrId * RECEIVE, length));
    }

    void send(int which, int length) {
      WorkRequest wr = p.a.wr.send().sge(p.a.mr, 0, length);
      from[which].postSend(type == QpType.UD ? wr.to(handle, to[which].qpNum(), TypedPair.QKEY) : wr);
      p.run();
    }

    @Override
    public void close() {
      p.close();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UC", "UD"})
  void shouldFillTheOldestSharedReceiveWhicheverQueuePairTheMessageIsFor(QpType type) {
    try (Bed bed = new Bed(type)) {
      for (int i = 0; i < 4; i++) {
        bed.post(i, RECEIVE);
      }
      bed.send(1, 100);
      bed.send(0, 200);
      bed.send(1, 300);
      List<WorkCompletion> got = bed.p.b.received();
      assertEquals(List.of(0L, 1L, 2L), got.stream().map(WorkCompletion::wrId).toList());
      assertEquals(List.of(bed.to[1].qpNum(), bed.to[0].qpNum(), bed.to[1].qpNum()), got.stream().map(WorkCompletion::qpNum).toList());
      for (int i = 0; i < 3; i++) {
        int length = (i + 1) * 100;
        assertEquals(WcStatus.SUCCESS, got.get(i).status());
        assertEquals(bed.headerBytes() + length, got.get(i).byteLen());
        bed.p.pair.assertSame(0, i * RECEIVE + bed.headerBytes(), length);
      }
      assertEquals(1, bed.srq.size());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UC", "UD"})
  void shouldDropWithoutAWordWhatFindsTheSharedQueueEmpty(QpType type) {
    try (Bed bed = new Bed(type)) {
      bed.send(0, 8);
      assertEquals(1, bed.p.b.counters().receivesMissing());
      assertEquals(0, bed.p.a.counters().packetsReceived());
      bed.post(1, RECEIVE);
      bed.p.run();
      assertTrue(bed.p.b.received().isEmpty(), "nobody waits for a receive");
      bed.send(1, 8);
      assertEquals(1, bed.p.b.oneReceived().wrId());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UC", "UD"})
  void shouldKeepForTheQueuePairAReceiveThatADroppedMessageHasTakenAndFlushItWithIt(QpType type) {
    try (Bed bed = new Bed(type)) {
      bed.post(1, bed.headerBytes() + 60);
      bed.post(2, RECEIVE);
      bed.send(0, 61);
      assertTrue(bed.p.b.received().isEmpty());
      bed.send(1, 61);
      assertEquals(2, bed.p.b.oneReceived().wrId());
      bed.send(0, 60);
      assertEquals(1, bed.p.b.oneReceived().wrId());
      bed.post(3, bed.headerBytes() + 60);
      bed.post(4, RECEIVE);
      bed.send(0, 61);
      bed.p.b.events();
      bed.to[0].modify(new QpAttr().state(QpState.ERR));
      WorkCompletion flushed = bed.p.b.oneReceived();
      assertEquals(3, flushed.wrId());
      TypedPair.assertFlushed(flushed);
      assertEquals(1, bed.srq.size(), "the others stay");
      assertEquals(List.of(new AsyncEvent(AsyncEvent.Type.QP_LAST_WQE_REACHED, bed.to[0].qpNum())), bed.p.b.events());
    }
  }

  @Test
  void shouldTakeASharedReceiveForTheImmediateOfAWriteOnly() {
    try (Bed bed = new Bed(QpType.UC)) {
      bed.post(1, 0);
      bed.from[0].postSend(bed.p.a.wr.write(bed.p.b.mr.addr() + 64, bed.p.b.mr.rkey()).sge(bed.p.a.mr, 0, 3000));
      bed.p.run();
      assertEquals(1, bed.srq.size());
      bed.from[0].postSend(bed.p.a.wr.writeWithImm(bed.p.b.mr.addr() + 64, bed.p.b.mr.rkey(), 9).sge(bed.p.a.mr, 8, 3000));
      bed.p.run();
      WorkCompletion got = bed.p.b.oneReceived();
      assertEquals(1, got.wrId());
      assertEquals(9, got.immData());
      bed.p.pair.assertSame(8, 64, 3000);
    }
  }
}
