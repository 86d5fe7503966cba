package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, fences, inline data, limits of outstanding reads, loopback, traffic both ways, extreme sizes. */
@Tag("simulation")
class RcOrderTest {
  private static WorkRequest write(Pair pair) {
    return pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  private static WorkRequest read(Pair pair) {
    return pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey());
  }

  private static void refused(Executable verb) {
    assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, verb).errno());
  }

  /** Order between requests of one queue. */
  @Nested
  class Order {
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void shouldHoldBackAFencedWriteUntilEarlierReadsAreDone(boolean fence) {
      try (Pair pair = Pair.connected()) {
        pair.a.word(900_000, 5);
        pair.a.send(read(pair).sge(pair.a.mr, 0, 400_000).wrId(1).signaled());
        WorkRequest wr = pair.a.wr.write(pair.b.mr.addr() + 900_000, pair.b.mr.rkey()).sge(pair.a.mr, 900_000, 8).wrId(2).signaled();
        pair.a.send(fence ? wr.fence() : wr);
        pair.runUntil(() -> pair.b.word(900_000) == 5);
        assertEquals(fence ? 1 : 0, pair.a.sendCq.size(), "completions of the read when the write is placed");
        pair.run();
        assertEquals(2, pair.a.sent().size());
      }
    }

    @Test
    void shouldCompleteInTheOrderOfPostingWhateverTheOperation() {
      try (Pair pair = Pair.connected()) {
        for (int i = 0; i < 60; i++) {
          pair.a.send((switch (i % 3) {
            case 0 -> read(pair).sge(pair.a.mr, 0, 9000);
            case 1 -> write(pair).sge(pair.a.mr, 0, 1);
            default -> pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 1).sge(pair.a.mr, 0, 8);
          }).wrId(i).signaled());
        }
        pair.run();
        assertEquals(LongStream.range(0, 60).boxed().toList(), pair.a.sent().stream().map(WorkCompletion::wrId).toList());
      }
    }

    @Test
    void shouldPlaceWritesBeforeTheSendThatFollowsThem() {
      try (Pair pair = Pair.connected()) {
        pair.a.fill(8);
        pair.b.post(1, 900_000, 8);
        pair.a.send(write(pair).sge(pair.a.mr, 0, 50_000));
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8));
        pair.runUntil(() -> pair.b.recvCq.size() == 1);
        pair.assertSame(0, 0, 50_000);
      }
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,16", "2,2", "16,16", "128,128"})
    void shouldKeepReadsWithinWhatBothSidesAllow(int maxRdAtomic, int maxDestRdAtomic) {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.maxDestRdAtomic(maxDestRdAtomic),
          rts -> rts.maxRdAtomic(maxRdAtomic))) {
        for (int i = 0; i < 60; i++) {
          pair.a.send(read(pair).sge(pair.a.mr, 0, 3000).wrId(i).signaled());
        }
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(60, all.size());
        assertTrue(all.stream().allMatch(WorkCompletion::isSuccess));
        assertEquals(0, pair.b.counters().duplicateRequests());
      }
    }

    @Test
    void shouldRefuseMoreReadsThanTheResponderAllows() {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.maxDestRdAtomic(1), rts -> rts.maxRdAtomic(4))) {
        for (int i = 0; i < 4; i++) {
          pair.a.send(read(pair).sge(pair.a.mr, 0, 400_000).wrId(i).signaled());
        }
        pair.run();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.REM_INV_REQ_ERR, WcStatus.WR_FLUSH_ERR, WcStatus.WR_FLUSH_ERR),
            pair.a.sent().stream().map(WorkCompletion::status).toList());
      }
    }
  }

  /** Inline data. */
  @Nested
  class Inline {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 255, 256})
    void shouldTakeInlineDataAtThePost(int length) {
      try (Pair pair = Pair.connected(); Arena arena = Arena.ofConfined()) {
        MemorySegment source = arena.allocate(256).fill((byte) 5);
        pair.b.post(1, 0, 256);
        pair.a.send(pair.a.wr.send().inline(source.asSlice(0, length)).signaled());
        source.fill((byte) 9);
        pair.run();
        assertEquals(length, pair.b.oneReceived().byteLen());
        for (int i = 0; i < length; i++) {
          assertEquals(5, pair.b.memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, i));
        }
      }
    }

    @Test
    void shouldTakeInlineDataFromTheHeap() {
      try (Pair pair = Pair.connected()) {
        pair.a.send(write(pair).inline(MemorySegment.ofArray(new long[] {42})).signaled());
        pair.run();
        assertEquals(42, pair.b.word(0));
      }
    }

    @Test
    void shouldRefuseWhatCannotBeInline() {
      try (Pair pair = Pair.connected()) {
        MemorySegment data = pair.a.memory;
        refused(() -> pair.a.send(write(pair).inline(data.asSlice(0, 257))));
        refused(() -> pair.a.send(read(pair).inline(data.asSlice(0, 8))));
        refused(() -> pair.a.send(pair.a.wr.fetchAndAdd(1, 1, 1).inline(data.asSlice(0, 8))));
        refused(() -> pair.a.send(pair.a.wr.localInvalidate(1).inline(data.asSlice(0, 8))));
        refused(() -> pair.a.send(write(pair).sge(pair.a.mr, 0, 8).inline(data.asSlice(0, 8))));
        refused(() -> pair.a.send(write(pair).flags(SendFlags.INLINE)));
        assertEquals(0, pair.a.qp.sendQueueSize());
      }
    }
  }

  /** Topologies. */
  @Nested
  class Topology {
    @Test
    void shouldTalkToItself() {
      try (Pair pair = new Pair()) {
        pair.a.qp.modify(QpAttr.init(Access.ALL));
        pair.a.qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(pair.a.qp.qpNum()).rqPsn(3).pathMtu(Pair.MTU));
        pair.a.qp.modify(QpAttr.rts(3));
        pair.a.fill(7).post(1, 200_000, 5000);
        pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 5000).wrId(1).signaled());
        pair.a.send(pair.a.wr.write(pair.a.mr.addr() + 300_000, pair.a.mr.rkey()).sge(pair.a.mr, 0, 5000).wrId(2).signaled());
        pair.a.send(pair.a.wr.read(pair.a.mr.addr(), pair.a.mr.rkey()).sge(pair.a.mr, 400_000, 5000).wrId(3).signaled());
        pair.a.send(pair.a.wr.fetchAndAdd(pair.a.mr.addr() + 500_000, pair.a.mr.rkey(), 4).sge(pair.a.mr, 600_000, 8).wrId(4)
            .signaled());
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(4, all.size());
        assertTrue(all.stream().allMatch(WorkCompletion::isSuccess), all::toString);
        assertEquals(5000, pair.a.oneReceived().byteLen());
        for (long copy : new long[] {200_000, 300_000, 400_000}) {
          assertEquals(-1, pair.a.memory.asSlice(0, 5000).mismatch(pair.a.memory.asSlice(copy, 5000)));
        }
        assertEquals(4, pair.a.word(500_000));
      }
    }

    @Test
    void shouldConnectTwoQueuePairsOfOneNode() {
      try (Pair pair = new Pair()) {
        QueuePair other = pair.a.hca.createQp(pair.a.pd, QpInitAttr.of(pair.a.recvCq, 8));
        pair.a.qp.modify(QpAttr.init(Access.ALL));
        other.modify(QpAttr.init(Access.ALL));
        pair.a.qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(other.qpNum()).rqPsn(3).pathMtu(Pair.MTU));
        other.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(pair.a.qp.qpNum()).rqPsn(4).pathMtu(Pair.MTU));
        pair.a.qp.modify(QpAttr.rts(4));
        pair.a.word(0, 3);
        pair.a.send(pair.a.wr.write(pair.a.mr.addr() + 64, pair.a.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(3, pair.a.word(64));
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldMoveDataBothWaysAtOnce(String op) {
      try (Pair pair = Pair.connected()) {
        pair.a.fill(1);
        pair.b.fill(2);
        for (int i = 0; i < 20; i++) {
          pair.a.post(i, 200_000, 20_000);
          pair.b.post(i, 200_000, 20_000);
          send(pair.a, pair.b, op);
          send(pair.b, pair.a, op);
        }
        pair.run();
        for (Pair.Side side : List.of(pair.a, pair.b)) {
          List<WorkCompletion> all = side.sent();
          assertEquals(20, all.size());
          assertTrue(all.stream().allMatch(WorkCompletion::isSuccess));
        }
        pair.assertSame(0, 200_000, 20_000);
        pair.assertSame(200_000, 0, 20_000);
      }
    }

    private static void send(Pair.Side from, Pair.Side to, String op) {
      from.send(switch (op) {
        case "SEND" -> from.wr.send().sge(from.mr, 0, 20_000).signaled();
        case "WRITE" -> from.wr.write(to.mr.addr() + 200_000, to.mr.rkey()).sge(from.mr, 0, 20_000).signaled();
        default -> from.wr.read(to.mr.addr(), to.mr.rkey()).sge(from.mr, 200_000, 20_000).signaled();
      });
    }
  }

  /** Extremes. */
  @Nested
  class Sizes {
    @ParameterizedTest
    @ValueSource(ints = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768})
    void shouldMoveAMegabyteAtEveryMtu(int mtu) {
      try (Pair pair = new Pair().connect(1, 1, UnaryOperator.identity(), rtr -> rtr.pathMtu(mtu), UnaryOperator.identity())) {
        for (int i = 0; i < Pair.BUFFER; i += 8) {
          pair.a.word(i, i * 0x9e3779b97f4a7c15L);
        }
        pair.a.send(write(pair).sge(pair.a.mr, 0, Pair.BUFFER).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        pair.assertSame(0, 0, Pair.BUFFER);
        pair.a.memory.fill((byte) 0);
        pair.a.send(read(pair).sge(pair.a.mr, 0, Pair.BUFFER).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        pair.assertSame(0, 0, Pair.BUFFER);
      }
    }

    @Test
    void shouldTakeAsManyElementsAsTheDeviceAllows() {
      try (Pair pair = new Pair()) {
        QpInitAttr wide = new QpInitAttr(pair.a.sendCq, pair.a.recvCq, 4, 4, 32, 32, 1024, false);
        QueuePair qp = pair.a.hca.createQp(pair.a.pd, wide);
        qp.modify(QpAttr.init(Access.ALL));
        qp.modify(QpAttr.rtr().destLid(pair.a.hca.lid()).destQpNum(qp.qpNum()).rqPsn(3).pathMtu(Pair.MTU));
        qp.modify(QpAttr.rts(3));
        pair.a.fill(4);
        WorkRequest wr = new WorkRequest().send().signaled();
        ReceiveRequest rr = new ReceiveRequest().receive(1);
        for (int i = 0; i < 32; i++) {
          wr.sge(pair.a.mr, i * 333L, 333);
          rr.sge(pair.a.mr, 500_000 + i * 333L, 333);
        }
        qp.postReceive(rr);
        qp.postSend(wr);
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(32 * 333, pair.a.oneReceived().byteLen());
        assertEquals(-1, pair.a.memory.asSlice(0, 32 * 333).mismatch(pair.a.memory.asSlice(500_000, 32 * 333)));
      }
    }

    @Test
    void shouldIgnoreTheKeyOfAZeroLengthRequest() {
      try (Pair pair = Pair.connected()) {
        pair.a.send(pair.a.wr.write(12345, 678).signaled());
        pair.a.send(pair.a.wr.read(12345, 678).signaled());
        pair.a.send(pair.a.wr.write(12345, 678).sge(999, 0, 999).signaled());
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(3, all.size());
        assertTrue(all.stream().allMatch(WorkCompletion::isSuccess), all::toString);
      }
    }

    @Test
    void shouldRunAQueueOfDepthOne() {
      try (Pair pair = Pair.of(new Pair.QpShape(1, 4, true)).connect(attr -> {})) {
        for (int i = 0; i < 20; i++) {
          pair.b.post(i, 0, 8);
          pair.a.send(pair.a.wr.send().sge(pair.a.mr, 0, 8).wrId(i));
          assertEquals(Errno.ENOMEM, assertThrows(VerbsException.class, () -> pair.a.send(pair.a.wr.send())).errno());
          pair.run();
          assertEquals(i, pair.a.oneSent().wrId());
          assertEquals(i, pair.b.oneReceived().wrId());
        }
      }
    }
  }
}
