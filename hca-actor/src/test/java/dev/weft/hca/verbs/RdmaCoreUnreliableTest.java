package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Packet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The UC and UD cases of rdma-core's tests; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
@Timeout(180)
class RdmaCoreUnreliableTest {
  private static final int ITERATIONS = 100;
  private static final int GRH = 40;

  private static void traffic(TypedPair p, int length, boolean imm) {
    for (int i = 0; i < ITERATIONS; i++) {
      p.a.fill(i);
      p.post(i, 0, GRH + length);
      WorkRequest wr = imm ? p.a.wr.sendWithImm(0xcafe0000 + i) : p.a.wr.send();
      p.qa.postSend(p.toB(wr).sge(p.a.mr, 0, length).wrId(1000 + i).signaled());
      p.run();
      assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
      WorkCompletion got = p.b.oneReceived();
      assertEquals(i, got.wrId());
      assertEquals(imm, got.hasImm());
      assertEquals(imm ? 0xcafe0000 + i : 0, imm ? got.immData() : 0);
      int header = p.qa.type() == QpType.UD ? GRH : 0;
      assertEquals(header + length, got.byteLen());
      p.pair.assertSame(0, header, length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1023, 1024})
  void testQpExUdSend(int length) {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      traffic(p, length, false);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1023, 1024})
  void testQpExUdSendImm(int length) {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      traffic(p, length, true);
    }
  }

  @Test
  void testQpExUdZeroSize() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      traffic(p, 0, false);
    }
  }

  @Test
  void testOdpUdTraffic() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      assertTrue(!p.b.mr.isPinned());
      traffic(p, 512, false);
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void testCreateQpNoAttr(QpType type) {
    try (Pair pair = new Pair()) {
      QueuePair qp = TypedPair.create(type, pair.a);
      assertEquals(QpState.RESET, qp.state());
      assertEquals(type, qp.type());
    }
  }

  @Test
  void testCreateUcQpWithAttr() {
    try (Pair pair = new Pair()) {
      QueuePair qp = TypedPair.create(QpType.UC, pair.a);
      qp.modify(QpAttr.init(Access.REMOTE_WRITE));
      assertEquals(QpState.INIT, qp.state());
    }
  }

  @Test
  void testCreateUdQpWithAttr() {
    try (Pair pair = new Pair()) {
      QueuePair qp = TypedPair.create(QpType.UD, pair.a);
      TypedPair.toRts(qp, pair.b, qp);
      assertEquals(QpState.RTS, qp.state());
    }
  }

  @ParameterizedTest
  @EnumSource(value = QpType.class, names = {"UC", "UD"})
  void testQueryQp(QpType type) {
    try (Pair pair = new Pair()) {
      QueuePair qp = TypedPair.create(type, pair.a);
      assertEquals(QpState.RESET, qp.query().state());
      assertEquals(64, qp.initAttr().maxSendWr());
      assertEquals(type, qp.initAttr().type());
    }
  }

  @Test
  void testModifyUdQp() {
    try (Pair pair = new Pair()) {
      QueuePair qp = TypedPair.create(QpType.UD, pair.a);
      qp.modify(QpAttr.initUd(0x123));
      assertEquals(0x123, qp.query().qkey());
      qp.modify(QpAttr.rtrUd());
      qp.modify(QpAttr.rtsUnreliable(0x45));
      assertEquals(0x45, qp.query().sqPsn());
      qp.modify(new QpAttr().state(QpState.RESET));
      assertEquals(QpState.RESET, qp.state());
    }
  }

  @Test
  void testCreateAh() {
    try (Pair pair = new Pair()) {
      AddressHandle handle = pair.a.hca.createAh(pair.a.pd, pair.b.hca.lid(), 3);
      assertEquals(pair.b.hca.lid(), handle.destLid());
      assertEquals(3, handle.serviceLevel());
    }
  }

  @Test
  void testDestroyAh() {
    try (Pair pair = new Pair()) {
      AddressHandle handle = pair.a.hca.createAh(pair.a.pd, pair.b.hca.lid(), 3);
      pair.a.hca.destroyAh(handle);
      assertThrows(VerbsException.class, () -> pair.a.hca.destroyAh(handle));
    }
  }

  @Test
  void testUdTrafficCqEx() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      p.post(7, 0, 200);
      p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 64));
      p.run();
      WorkCompletion got = p.b.oneReceived();
      assertEquals(List.of(p.qa.qpNum(), p.a.hca.lid(), p.qb.qpNum()), List.of(got.srcQp(), got.srcLid(), got.qpNum()));
    }
  }

  @Test
  void testCqEventsUd() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      int[] events = {0};
      CompletionQueue cq = p.b.hca.createCq(16, ReceiveContext.ISR, queue -> events[0]++);
      QueuePair qp = p.b.hca.createQp(p.b.pd, new QpInitAttr(p.b.sendCq, cq, 8, 8, 1, 1, 0, false).withType(QpType.UD));
      TypedPair.toRts(qp, p.a, p.qa);
      p.run();
      for (int i = 1; i <= 3; i++) {
        qp.postReceive(p.b.rr.receive(i).sge(p.b.mr, 0, 200));
        cq.arm(false);
        p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 8).to(p.aToB(), qp.qpNum(), TypedPair.QKEY));
        p.run();
        assertEquals(i, events[0]);
        assertEquals(1, Pair.Side.drain(cq).size());
      }
    }
  }

  /** Relaxed ordering is a hint, which we ignore. */
  @Test
  void testRoUdTraffic() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      MemoryRegion relaxed = p.b.hca.regMr(p.b.pd, p.b.memory, Access.LOCAL_WRITE | 1 << 20);
      for (int i = 0; i < ITERATIONS; i++) {
        p.a.fill(i);
        p.qb.postReceive(p.b.rr.receive(i).sge(relaxed, 0, GRH + 1024));
        p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 1024).signaled());
        p.run();
        assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
        assertEquals(i, p.b.oneReceived().wrId());
        p.pair.assertSame(0, GRH, 1024);
      }
    }
  }

  /** Joined by the sender to send only, which brings it nothing, and by the receiver in full. */
  @Test
  void testRdmacmAsyncExMulticastTraffic() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      int lid = join(p, p.a, true);
      assertEquals(lid, join(p, p.b, false));
      p.a.hca.attachMulticast(p.qa, lid);
      p.b.hca.attachMulticast(p.qb, lid);
      p.qa.postReceive(p.a.rr.receive(1).sge(p.a.mr, 4096, 4096));
      AddressHandle group = p.a.hca.createAh(p.a.pd, Gid.ofLid(lid), 0);
      for (int i = 0; i < ITERATIONS; i++) {
        p.a.fill(i);
        p.post(i, 0, GRH + 512);
        p.qa.postSend(p.a.wr.sendWithImm(i).sge(p.a.mr, 0, 512).to(group, Packet.MULTICAST_QP, TypedPair.QKEY).signaled());
        p.run();
        assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
        WorkCompletion got = p.b.oneReceived();
        assertEquals(List.of((long) i, i, p.qa.qpNum()), List.of(got.wrId(), got.immData(), got.srcQp()));
        p.pair.assertSame(0, GRH, 512);
      }
      assertTrue(p.a.received().isEmpty(), "joined to send only");
    }
  }

  @Test
  void testRdmacmAsyncExLeaveMulticastTraffic() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      int lid = join(p, p.b, false);
      join(p, p.a, true);
      p.b.hca.attachMulticast(p.qb, lid);
      AddressHandle group = p.a.hca.createAh(p.a.pd, lid, 0);
      p.post(1, 0, GRH + 64);
      p.post(2, 0, GRH + 64);
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 64).to(group, Packet.MULTICAST_QP, TypedPair.QKEY).signaled());
      p.run();
      assertEquals(1, p.b.oneReceived().wrId());
      p.b.node.leaveMulticast("239.2.1.2", false);
      p.run();
      long packets = p.b.counters().packetsReceived();
      p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 64).to(group, Packet.MULTICAST_QP, TypedPair.QKEY).signaled());
      p.run();
      assertEquals(2, p.a.sent().size(), "the sender hears of nothing");
      assertTrue(p.b.received().isEmpty());
      assertEquals(packets, p.b.counters().packetsReceived(), "the switch does not forward it any more");
    }
  }

  private static int join(TypedPair p, Pair.Side side, boolean sendOnly) {
    var joined = side.node.joinMulticast("239.2.1.2", sendOnly).toCompletableFuture();
    p.pair.runUntil(joined::isDone);
    return joined.join();
  }

  @Test
  void testRdmacmAsyncMulticastTraffic() {
    try (TypedPair p = TypedPair.of(QpType.UD)) {
      var joined = p.b.node.joinMulticast("239.2.1.1", false).toCompletableFuture();
      p.pair.runUntil(joined::isDone);
      p.b.hca.attachMulticast(p.qb, joined.join());
      AddressHandle group = p.a.hca.createAh(p.a.pd, joined.join(), 0);
      for (int i = 0; i < ITERATIONS; i++) {
        p.a.fill(i);
        p.post(i, 0, GRH + 512);
        p.qa.postSend(p.a.wr.send().sge(p.a.mr, 0, 512).to(group, Packet.MULTICAST_QP, TypedPair.QKEY).signaled());
        p.run();
        assertEquals(WcStatus.SUCCESS, p.a.oneSent().status());
        assertEquals(i, p.b.oneReceived().wrId());
        p.pair.assertSame(0, GRH, 512);
      }
      p.b.hca.detachMulticast(p.qb, joined.join());
      p.b.node.leaveMulticast("239.2.1.1", false);
    }
  }
}
