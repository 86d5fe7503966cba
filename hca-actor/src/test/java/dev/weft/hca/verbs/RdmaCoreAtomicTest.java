package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** rdma-core's tests/test_atomic.py and the atomics of test_qpex.py, test_odp.py and test_mr.py; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class RdmaCoreAtomicTest {
  private static WcStatus fetchAndAdd(Pair pair, long addr, int rkey, int lkey) {
    pair.a.send(pair.a.wr.fetchAndAdd(addr, rkey, 1).sge(pair.a.mr.addr(), 8, lkey).signaled());
    pair.run();
    return pair.a.oneSent().status();
  }

  @ParameterizedTest
  @CsvSource({"0,1,0,1", "1,2,1,2", "5,9,4,5", "-1,0,-1,0"})
  void testAtomicCmpAndSwap(long initial, long replacement, long expected, long result) {
    try (Pair pair = Pair.connected()) {
      pair.b.word(0, initial);
      pair.a.send(pair.a.wr.compareAndSwap(pair.b.mr.addr(), pair.b.mr.rkey(), expected, replacement).sge(pair.a.mr, 8, 8)
          .signaled());
      pair.run();
      WorkCompletion done = pair.a.oneSent();
      assertTrue(done.isSuccess());
      assertEquals(WcOpcode.COMP_SWAP, done.opcode());
      assertEquals(8, done.byteLen());
      assertEquals(initial, pair.a.word(8));
      assertEquals(result, pair.b.word(0));
    }
  }

  @ParameterizedTest
  @CsvSource({"0,1", "41,1", "9223372036854775807,1", "5,-6"})
  void testAtomicFetchAndAdd(long initial, long addend) {
    try (Pair pair = Pair.connected()) {
      pair.b.word(16, initial);
      pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr() + 16, pair.b.mr.rkey(), addend).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals(WcOpcode.FETCH_ADD, pair.a.oneSent().opcode());
      assertEquals(initial, pair.a.word(0));
      assertEquals(initial + addend, pair.b.word(16));
    }
  }

  @Test
  void testAtomicInvalidQpAccess() {
    try (Pair pair = new Pair().connect(1, 1, init -> init.accessFlags(Access.LOCAL_WRITE), UnaryOperator.identity(),
        UnaryOperator.identity())) {
      assertEquals(WcStatus.REM_INV_REQ_ERR, fetchAndAdd(pair, pair.b.mr.addr(), pair.b.mr.rkey(), pair.a.mr.lkey()));
      assertEquals(0, pair.b.word(0));
      assertEquals(QpState.ERR, pair.b.qp.state());
    }
  }

  @Test
  void testAtomicInvalidMrAccess() {
    try (Pair pair = Pair.of(Access.LOCAL_WRITE).connect(attr -> {})) {
      assertEquals(WcStatus.REM_ACCESS_ERR, fetchAndAdd(pair, pair.b.mr.addr(), pair.b.mr.rkey(), pair.a.mr.lkey()));
    }
  }

  @Test
  void testAtomicNonAlignedAddr() {
    try (Pair pair = Pair.connected()) {
      assertEquals(WcStatus.REM_INV_REQ_ERR, fetchAndAdd(pair, pair.b.mr.addr() + 1, pair.b.mr.rkey(), pair.a.mr.lkey()));
    }
  }

  @Test
  void testAtomicInvalidLkey() {
    try (Pair pair = Pair.connected()) {
      assertEquals(WcStatus.LOC_PROT_ERR, fetchAndAdd(pair, pair.b.mr.addr(), pair.b.mr.rkey(), pair.a.mr.lkey() + 1));
      assertEquals(0, pair.b.word(0), "nothing was sent");
    }
  }

  @Test
  void testAtomicInvalidRkey() {
    try (Pair pair = Pair.connected()) {
      assertEquals(WcStatus.REM_ACCESS_ERR, fetchAndAdd(pair, pair.b.mr.addr(), pair.b.mr.rkey() + 1, pair.a.mr.lkey()));
    }
  }

  @Test
  void testMrReregAtomic() {
    try (Pair pair = Pair.connected()) {
      MemoryRegion plain = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x1000, Access.LOCAL_WRITE);
      assertEquals(WcStatus.REM_ACCESS_ERR, fetchAndAdd(pair, plain.addr(), plain.rkey(), pair.a.mr.lkey()));
      pair.b.hca.deregMr(plain);
      pair.reconnect();
      MemoryRegion atomic = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x1000, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
      assertEquals(WcStatus.SUCCESS, fetchAndAdd(pair, atomic.addr(), atomic.rkey(), pair.a.mr.lkey()));
      assertEquals(1, pair.b.word(0));
    }
  }

  @Test
  void testQpExRcAtomicCmpSwp() {
    try (Pair pair = Pair.connected()) {
      for (int i = 0; i < 100; i++) {
        pair.a.send(pair.a.wr.compareAndSwap(pair.b.mr.addr(), pair.b.mr.rkey(), i, i + 1).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(i, pair.a.word(0));
      }
      assertEquals(100, pair.b.word(0));
    }
  }

  @Test
  void testQpExRcAtomicFetchAdd() {
    try (Pair pair = Pair.connected()) {
      for (int i = 0; i < 60; i++) {
        pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 3).sge(pair.a.mr, i * 8L, 8).signaled());
      }
      pair.run();
      assertEquals(60, pair.a.sent().size());
      for (int i = 0; i < 60; i++) {
        assertEquals(3L * i, pair.a.word(i * 8L), "requests of one queue pair are executed in order");
      }
    }
  }

  @Test
  void testOdpRcAtomicFetchAndAddOverALossyLink() {
    try (Pair pair = Pair.connected(7, new LinkFaults(0.2, 0.1, 0.1, 0, 20_000))) {
      for (int i = 0; i < 60; i++) {
        pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 1).sge(pair.a.mr, i * 8L, 8).signaled());
      }
      pair.run();
      assertEquals(60, pair.a.sent().stream().filter(WorkCompletion::isSuccess).count());
      assertEquals(60, pair.b.word(0), "each was executed once");
      for (int i = 0; i < 60; i++) {
        assertEquals(i, pair.a.word(i * 8L));
      }
    }
  }

  /** Exactly one of the swaps that expect the same value succeeds, whatever is lost; the others return what they found. */
  @Test
  void testOdpRcAtomicCmpAndSwpOverALossyLink() {
    try (Pair pair = Pair.connected(7, new LinkFaults(0.2, 0.1, 0.1, 0, 20_000))) {
      assertTrue(!pair.b.mr.isPinned());
      for (int i = 0; i < 60; i++) {
        pair.a.send(pair.a.wr.compareAndSwap(pair.b.mr.addr(), pair.b.mr.rkey(), i / 2, i / 2 + 1).sge(pair.a.mr, i * 8L, 8).signaled());
      }
      pair.run();
      assertEquals(60, pair.a.sent().stream().filter(WorkCompletion::isSuccess).count());
      assertEquals(30, pair.b.word(0));
      for (int i = 0; i < 60; i++) {
        assertEquals((i + 1) / 2, pair.a.word(i * 8L), "swap " + i);
      }
    }
  }

  @Test
  void shouldAnswerADuplicateAtomicFromItsSavedResult() {
    try (Pair pair = Pair.connected()) {
      pair.b.word(0, 10);
      pair.fabric.link("a").setPartitioned(false, true);
      pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 5).sge(pair.a.mr, 0, 8).signaled());
      pair.runUntil(() -> pair.b.counters().atomicsExecuted() == 1);
      pair.b.word(0, 1000);
      pair.fabric.system().runFor(1_000_000);
      pair.fabric.link("a").setPartitioned(false);
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(10, pair.a.word(0), "the original value, not today's");
      assertEquals(1000, pair.b.word(0), "not added twice");
      assertEquals(1, pair.b.counters().atomicsReplayed());
    }
  }

  @Test
  void shouldScatterTheOriginalValueOverSeveralElements() {
    try (Pair pair = Pair.connected()) {
      pair.b.word(0, 0x1122334455667788L);
      pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 0).sge(pair.a.mr, 0, 3).sge(pair.a.mr, 3, 5)
          .signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(0x1122334455667788L, pair.a.word(0));
    }
  }

  @Test
  void shouldRefuseAnAtomicWhoseResultIsNotEightBytes() {
    try (Pair pair = Pair.connected()) {
      pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 1).sge(pair.a.mr, 0, 4).signaled());
      pair.run();
      assertEquals(WcStatus.LOC_LEN_ERR, pair.a.oneSent().status());
    }
  }
}
