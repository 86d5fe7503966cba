package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Assertions;

/** Traffic from a to b between regions of any kind, checked by completions, bytes and what lies behind them. */
final class RegionTraffic {
  static final int ITERATIONS = 20;
  private static final int IMMEDIATE = 0xcafe0000;

  private RegionTraffic() {}

  static void run(Pair pair, WrOpcode op, MemoryRegion near, MemoryRegion far, int length) {
    run(pair, pair.a.qp, pair.b.qp, op, near, far, length, false);
  }

  /** With {@code inline} the bytes go through the memory of the send queue. The queue pairs are in RTS and use the pair's queues. */
  static void run(Pair pair, QueuePair from, QueuePair to, WrOpcode op, MemoryRegion near, MemoryRegion far, int length, boolean inline) {
    for (int i = 0; i < ITERATIONS; i++) {
      boolean read = op == WrOpcode.RDMA_READ;
      MemorySegment source = read ? far.segment() : near.segment();
      MemorySegment target = read ? near.segment() : far.segment();
      fill(source, length, i);
      target.asSlice(0, length).fill((byte) 0);
      byte behind = target.byteSize() > length ? target.get(ValueLayout.JAVA_BYTE, length) : 0;
      boolean receives = op.isSend() || op == WrOpcode.RDMA_WRITE_WITH_IMM;
      if (receives) {
        to.postReceive(pair.b.rr.receive(i).sge(far, 0, length));
      }
      WorkRequest wr = request(pair.a.wr, op, far, i).wrId(1000 + i).signaled();
      from.postSend(inline ? wr.inline(near.segment().asSlice(0, length)) : wr.sge(near, 0, length));
      if (inline) {
        near.segment().asSlice(0, length).fill((byte) -1);
      }
      pair.run();
      checkSent(pair.a.oneSent(), op, from, i, length);
      if (receives) {
        checkReceived(pair.b.oneReceived(), op, to, i, length);
      } else {
        assertTrue(pair.b.received().isEmpty());
      }
      assertFilled(target, length, i);
      if (target.byteSize() > length) {
        assertEquals(behind, target.get(ValueLayout.JAVA_BYTE, length), "the byte behind the message");
      }
    }
  }

  private static WorkRequest request(WorkRequest wr, WrOpcode op, MemoryRegion far, int i) {
    return switch (op) {
      case SEND -> wr.send();
      case SEND_WITH_IMM -> wr.sendWithImm(IMMEDIATE + i);
      case RDMA_WRITE -> wr.write(far.addr(), far.rkey());
      case RDMA_WRITE_WITH_IMM -> wr.writeWithImm(far.addr(), far.rkey(), IMMEDIATE + i);
      case RDMA_READ -> wr.read(far.addr(), far.rkey());
      case ATOMIC_WRITE -> wr.atomicWrite(far.addr(), far.rkey());
      default -> throw new IllegalArgumentException("no traffic for " + op);
    };
  }

  private static void checkSent(WorkCompletion wc, WrOpcode op, QueuePair qp, int i, int length) {
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(1000 + i, wc.wrId());
    assertEquals(op.completion(), wc.opcode());
    assertEquals(qp.qpNum(), wc.qpNum());
    assertEquals(op == WrOpcode.RDMA_READ ? length : 0, wc.byteLen());
  }

  private static void checkReceived(WorkCompletion wc, WrOpcode op, QueuePair qp, int i, int length) {
    assertEquals(WcStatus.SUCCESS, wc.status());
    assertEquals(i, wc.wrId());
    assertEquals(length, wc.byteLen());
    assertEquals(qp.qpNum(), wc.qpNum());
    boolean imm = op == WrOpcode.SEND_WITH_IMM || op == WrOpcode.RDMA_WRITE_WITH_IMM;
    assertEquals(imm, wc.hasImm());
    assertEquals(imm ? IMMEDIATE + i : 0, imm ? wc.immData() : 0);
    assertEquals(op.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM, wc.opcode());
  }

  static void fill(MemorySegment segment, int length, int salt) {
    for (int i = 0; i < length; i++) {
      segment.set(ValueLayout.JAVA_BYTE, i, pattern(salt, i));
    }
  }

  static void assertFilled(MemorySegment segment, int length, int salt) {
    for (int i = 0; i < length; i++) {
      if (segment.get(ValueLayout.JAVA_BYTE, i) != pattern(salt, i)) {
        Assertions.fail("byte " + i + " of " + length + " is " + segment.get(ValueLayout.JAVA_BYTE, i) + ", want " + pattern(salt, i));
      }
    }
  }

  private static byte pattern(int salt, int i) {
    return (byte) (1 + salt + i * 31 + (i >> 8));
  }

  static void refused(VerbsException.Errno errno, org.junit.jupiter.api.function.Executable verb) {
    VerbsException e = Assertions.assertThrows(VerbsException.class, verb);
    assertEquals(errno, e.errno(), e.getMessage());
  }
}
