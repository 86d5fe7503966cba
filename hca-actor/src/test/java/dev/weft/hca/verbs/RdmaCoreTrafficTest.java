package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.completion.Cq;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The RC traffic of rdma-core's tests/test_qpex.py, test_cqex.py, test_odp.py and test_mr.py; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class RdmaCoreTrafficTest {
  private static final int ITERATIONS = 100;

  /** Runs {@code op} that many times with a receive for each, and checks every completion and the bytes. */
  private static void traffic(Pair pair, WrOpcode op, int length, boolean receive) {
    for (int i = 0; i < ITERATIONS; i++) {
      pair.a.fill(i);
      if (receive) {
        pair.b.post(i, 0, length);
      }
      WorkRequest wr = build(pair, op, i).wrId(1000 + i).signaled();
      if (length > 0) {
        wr.sge(pair.a.mr, 0, length);
      }
      pair.a.send(wr);
      pair.run();
      WorkCompletion sent = pair.a.oneSent();
      assertEquals(WcStatus.SUCCESS, sent.status());
      assertEquals(1000 + i, sent.wrId());
      assertEquals(op.completion(), sent.opcode());
      assertEquals(pair.a.qp.qpNum(), sent.qpNum());
      if (receive) {
        checkReceived(pair.b.oneReceived(), op, i, length);
      } else {
        assertTrue(pair.b.received().isEmpty());
      }
      if (op == WrOpcode.RDMA_READ) {
        assertEquals(length, sent.byteLen());
      }
      pair.assertSame(0, 0, length);
    }
  }

  private static void checkReceived(WorkCompletion got, WrOpcode op, int i, int length) {
    assertEquals(WcStatus.SUCCESS, got.status());
    assertEquals(i, got.wrId());
    assertEquals(length, got.byteLen());
    boolean imm = op == WrOpcode.SEND_WITH_IMM || op == WrOpcode.RDMA_WRITE_WITH_IMM;
    assertEquals(imm, got.hasImm());
    if (imm) {
      assertEquals(0xcafe0000 + i, got.immData());
    }
    assertEquals(op.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM, got.opcode());
  }

  private static WorkRequest build(Pair pair, WrOpcode op, int i) {
    long addr = pair.b.mr.addr();
    int rkey = pair.b.mr.rkey();
    return switch (op) {
      case SEND -> pair.a.wr.send();
      case SEND_WITH_IMM -> pair.a.wr.sendWithImm(0xcafe0000 + i);
      case RDMA_WRITE -> pair.a.wr.write(addr, rkey);
      case RDMA_WRITE_WITH_IMM -> pair.a.wr.writeWithImm(addr, rkey, 0xcafe0000 + i);
      case RDMA_READ -> {
        pair.b.fill(i + 7);
        yield pair.a.wr.read(addr, rkey);
      }
      default -> throw new IllegalArgumentException("no traffic for " + op);
    };
  }

  /** tests/test_qpex.py */
  @Nested
  class QpEx {
    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
    void testQpExRcSend(int length) {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.SEND, length, true);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
    void testQpExRcSendImm(int length) {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.SEND_WITH_IMM, length, true);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
    void testQpExRcRdmaWrite(int length) {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_WRITE, length, false);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
    void testQpExRcRdmaWriteImm(int length) {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_WRITE_WITH_IMM, length, true);
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
    void testQpExRcRdmaRead(int length) {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_READ, length, false);
      }
    }

    @Test
    void testQpExRcZeroSizeSend() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.SEND, 0, true);
      }
    }

    @Test
    void testQpExRcZeroSizeSendImm() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.SEND_WITH_IMM, 0, true);
      }
    }

    @Test
    void testQpExRcRdmaWriteZeroSize() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_WRITE, 0, false);
      }
    }

    @Test
    void testQpExRcRdmaWriteImmZeroSize() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_WRITE_WITH_IMM, 0, true);
      }
    }

    @Test
    void testQpExRcRdmaReadZeroSize() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_READ, 0, false);
      }
    }
  }

  /** tests/test_cqex.py and tests/test_cq_events.py */
  @Nested
  class Cq {
    @Test
    void testRcTrafficCqEx() {
      try (Pair pair = Pair.connected()) {
        pair.a.fill(1);
        pair.b.post(5, 0, 64);
        pair.a.send(pair.a.wr.sendWithImm(77).sge(pair.a.mr, 0, 64).wrId(6).signaled().solicited());
        pair.run();
        WorkCompletion got = pair.b.oneReceived();
        assertEquals(pair.a.hca.lid(), got.srcLid());
        assertEquals(pair.b.qp.qpNum(), got.qpNum());
        assertEquals(77, got.immData());
        assertEquals(0, got.vendorErr());
        assertEquals(64, got.byteLen());
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ISR", "TASK_QUEUE", "PROCESS"})
    void testCqEventsRc(String context) {
      try (Pair pair = new Pair()) {
        int[] events = new int[1];
        CompletionQueue cq = pair.b.hca.createCq(16, ReceiveContext.valueOf(context), q -> events[0]++);
        QueuePair qp = pair.b.hca.createQp(pair.b.pd, QpInitAttr.of(cq, 16));
        pair.a.qp.modify(QpAttr.init(Access.ALL));
        qp.modify(QpAttr.init(Access.ALL));
        pair.a.qp.modify(QpAttr.rtr().destLid(pair.b.hca.lid()).destQpNum(qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
        qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(pair.a.qp.qpNum()).rqPsn(1).pathMtu(Pair.MTU));
        pair.a.qp.modify(QpAttr.rts(1));
        for (int i = 1; i <= 10; i++) {
          cq.arm(false);
          qp.postReceive(pair.b.rr.receive(i).sge(pair.b.mr, 0, 64));
          pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 64));
          pair.run();
          assertEquals(i, events[0], "one event for each arming");
          assertEquals(1, Pair.Side.drain(cq).size());
        }
      }
    }
  }

  /** tests/test_odp.py: registered memory whose pages nobody pinned. Virtual time never pins. */
  @Nested
  class Unpinned {
    @Test
    void testOdpRcTraffic() {
      try (Pair pair = Pair.connected()) {
        assertFalse(pair.a.mr.isPinned());
        traffic(pair, WrOpcode.SEND, 1024, true);
      }
    }

    @Test
    void testOdpRcRdmaRead() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_READ, 4096, false);
      }
    }

    @Test
    void testOdpRcRdmaWrite() {
      try (Pair pair = Pair.connected()) {
        traffic(pair, WrOpcode.RDMA_WRITE, 4096, false);
      }
    }

    @Test
    void testOdpRcMixedMr() {
      try (Pair pair = Pair.with("weft.hca.pin-memory = true"); Arena arena = Arena.ofShared()) {
        pair.connect(attr -> {});
        MemorySegment other = arena.allocate(4096, 64).fill((byte) 9);
        MemoryRegion second = pair.a.hca.regMr(pair.a.pd, other, Access.LOCAL_WRITE);
        pair.a.fill(3);
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 1500).sge(second, 0, 1500).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        pair.assertSame(0, 0, 1500);
        assertEquals(-1, other.asSlice(0, 1500).mismatch(pair.b.memory.asSlice(1500, 1500)));
        pair.a.hca.deregMr(second);
      }
    }
  }

  /** Scatter/gather lists and odd offsets, as test_mlx5_raw_wqe.py and utils.py's get_send_elements use them. */
  @Nested
  class ScatterGather {
    @ParameterizedTest
    @ValueSource(strings = {"1,1,1", "1023,1,1", "0,5,0", "1024,1024,1024", "3,2000,77", "0,0,0"})
    void shouldGatherAndScatterAnyCutOfAMessage(String lengths) {
      try (Pair pair = Pair.connected()) {
        pair.a.fill(4);
        WorkRequest wr = pair.a.wr.send().signaled();
        int total = 0;
        for (String text : lengths.split(",")) {
          int length = Integer.parseInt(text);
          wr.sge(pair.a.mr, total, length);
          total += length;
        }
        int third = total / 3;
        pair.b.qp.postReceive(pair.b.rr.receive(1).sge(pair.b.mr, 0, third).sge(pair.b.mr, third, 0)
            .sge(pair.b.mr, third, total - third));
        pair.a.send(wr);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(total, pair.b.oneReceived().byteLen());
        pair.assertSame(0, 0, total);
      }
    }

    @Test
    void shouldScatterAReadOverSeveralRegions() {
      try (Pair pair = Pair.connected()) {
        pair.b.fill(5);
        pair.a.send(pair.a.wr.read(pair.b.mr.addr() + 1, pair.b.mr.rkey()).sge(pair.a.mr, 1, 1000).sge(pair.a.mr, 1001, 1)
            .sge(pair.a.mr, 1002, 3000).signaled());
        pair.run();
        assertEquals(4001, pair.a.oneSent().byteLen());
        pair.assertSame(1, 1, 4001);
      }
    }
  }
}
