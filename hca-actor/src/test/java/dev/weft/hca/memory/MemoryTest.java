package dev.weft.hca.memory;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.rules.Needs;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Registration, and memory that goes away; also rdma-core's tests/test_mr.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
@Timeout(180)
class MemoryTest {
  private static WcStatus run(Pair pair, WorkRequest wr) {
    pair.a.send(wr.signaled());
    pair.run();
    return pair.a.oneSent().status();
  }

  /** tests/test_mr.py, MRTest and DmaBufMRTest. */
  @Nested
  class RdmaCoreMr {
    @ParameterizedTest
    @ValueSource(ints = {Access.REMOTE_WRITE, Access.REMOTE_ATOMIC, Access.REMOTE_WRITE | Access.REMOTE_ATOMIC, 1 << 10, -1})
    void testRegMrBadFlags(int access) {
      try (Pair pair = new Pair()) {
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, pair.a.memory, access));
      }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.LOCAL_WRITE | Access.REMOTE_WRITE, Access.ALL})
    void testRegMr(int access) {
      try (Pair pair = new Pair()) {
        MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, pair.a.memory, access);
        assertEquals(access, mr.access());
        assertEquals(pair.a.memory.address(), mr.addr());
        assertEquals(pair.a.memory.byteSize(), mr.length());
        assertTrue(mr.isValid());
        pair.a.hca.deregMr(mr);
      }
    }

    /** tests/test_relaxed_ordering.py: a provider may ignore the flag, and ours keeps the order. */
    @ParameterizedTest
    @ValueSource(ints = {20, 29})
    void testRoRcTraffic(int optional) {
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, Access.ALL | 1 << optional);
        pair.b.qp.postReceive(pair.b.rr.receive(1).sge(mr, 0, 5000));
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.fill(8).wr.send().sge(pair.a.mr, 0, 5000)));
        pair.assertSame(0, 0, 5000);
      }
    }

    @Test
    void testDeregMr() {
      try (Pair pair = new Pair()) {
        pair.a.hca.deregMr(pair.a.mr);
        assertFalse(pair.a.mr.isValid());
        assertTrue(pair.a.hca.inspect().memoryRegions().isEmpty());
      }
    }

    @Test
    void testDeregMrTwice() {
      try (Pair pair = new Pair()) {
        pair.a.hca.deregMr(pair.a.mr);
        refused(Errno.EINVAL, () -> pair.a.hca.deregMr(pair.a.mr));
        refused(Errno.EINVAL, () -> pair.a.hca.deregMr(pair.b.mr));
      }
    }

    @Test
    void testMrLkeyAndRkey() {
      try (Pair pair = new Pair()) {
        assertNotEquals(0, pair.a.mr.lkey());
        assertNotEquals(0, pair.a.mr.rkey());
        assertFalse(pair.a.hca.inspect().toString().contains(Integer.toString(pair.a.mr.rkey())), "keys stay out of snapshots");
      }
    }

    @Test
    void testMultipleMrsOneBuf() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion first = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x1000, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
        MemoryRegion second = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x1000, Access.REMOTE_READ);
        assertNotEquals(first.rkey(), second.rkey());
        pair.a.fill(5);
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.wr.write(0x1000, first.rkey()).sge(pair.a.mr, 0, 100)));
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.wr.read(0x1000, second.rkey()).sge(pair.a.mr, 500_000, 100)));
        assertEquals(-1, pair.a.memory.asSlice(0, 100).mismatch(pair.a.memory.asSlice(500_000, 100)));
        pair.b.hca.deregMr(first);
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.wr.read(0x1000, second.rkey()).sge(pair.a.mr, 0, 100)));
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void testBufRcSendMrSubrange(boolean inside) {
      try (Pair pair = Pair.connected()) {
        MemoryRegion part = pair.b.hca.regMr(pair.b.pd, pair.b.memory.asSlice(1000, 500), 0x1000, Access.LOCAL_WRITE);
        pair.b.qp.postReceive(pair.b.rr.receive(1).sge(part, 100, inside ? 400 : 401));
        WcStatus status = run(pair, pair.a.fill(3).wr.send().sge(pair.a.mr, 0, 400));
        assertEquals(inside ? WcStatus.SUCCESS : WcStatus.REM_OP_ERR, status);
        if (inside) {
          pair.assertSame(0, 1100, 400);
        }
      }
    }

    @Test
    void shouldInvalidateARegionByLocalInv() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, pair.a.memory, 0x9000, Access.ALL);
        pair.a.send(pair.a.wr.write(pair.b.mr.addr(), pair.b.mr.rkey()).sge(mr, 0, 40_000).signaled());
        pair.a.send(pair.a.wr.localInvalidate(mr.lkey()).wrId(2).signaled());
        pair.run();
        List<WorkCompletion> all = pair.a.sent();
        assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), all.stream().map(WorkCompletion::status).toList());
        assertEquals(WcOpcode.LOCAL_INV, all.getLast().opcode());
        assertFalse(mr.isValid());
        pair.b.send(pair.b.wr.write(mr.addr(), mr.rkey()).sge(pair.b.mr, 0, 8).signaled());
        pair.run();
        assertEquals(WcStatus.REM_ACCESS_ERR, pair.b.oneSent().status());
        pair.a.hca.deregMr(mr);
      }
    }
  }

  /** What cannot be registered. */
  @Nested
  class Refused {
    @Test
    void shouldRefuseHeapMemory() {
      try (Pair pair = new Pair()) {
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, MemorySegment.ofArray(new byte[64]), Access.ALL));
      }
    }

    @Test
    void shouldRefuseThreadConfinedMemory() {
      try (Pair pair = new Pair(); Arena arena = Arena.ofConfined()) {
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, arena.allocate(64), Access.ALL));
      }
    }

    @Test
    void shouldRefuseEmptyMemory() {
      try (Pair pair = new Pair()) {
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, pair.a.memory.asSlice(0, 0), Access.ALL));
      }
    }

    @Test
    void shouldRefuseLocalWriteToReadOnlyMemory() {
      try (Pair pair = new Pair()) {
        MemorySegment readOnly = pair.a.memory.asReadOnly();
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, readOnly, Access.LOCAL_WRITE));
        pair.a.hca.regMr(pair.a.pd, readOnly, Access.REMOTE_READ);
      }
    }

    @Test
    void shouldRefuseMemoryOfAClosedArena() {
      try (Pair pair = new Pair()) {
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(64);
        arena.close();
        refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, gone, Access.ALL));
      }
    }
  }

  /** Memory that goes away while it is used: by deregistration or because its Arena is closed. */
  @Nested
  class GoingAway {
    private static final int LENGTH = 400_000;

    /** Starts the request, lets it run for a while, takes the memory away, and answers how it ended. */
    private static WcStatus midway(boolean ofA, boolean close, String op) {
      Arena arena = Arena.ofShared();
      try (Pair pair = new Pair().connect(attr -> attr.timeout(8))) {
        MemorySegment memory = arena.allocate(LENGTH, 64);
        Pair.Side side = ofA ? pair.a : pair.b;
        MemoryRegion own = side.hca.regMr(side.pd, memory, Access.ALL);
        MemoryRegion local = ofA ? own : pair.a.mr;
        MemoryRegion remote = ofA ? pair.b.mr : own;
        pair.b.qp.postReceive(pair.b.rr.receive(1).sge(remote, 0, LENGTH));
        pair.a.send((switch (op) {
          case "SEND" -> pair.a.wr.send();
          case "WRITE" -> pair.a.wr.write(remote.addr(), remote.rkey());
          default -> pair.a.wr.read(remote.addr(), remote.rkey());
        }).sge(local, 0, LENGTH).signaled());
        Pair.Side receiver = op.equals("READ") ? pair.a : pair.b;
        pair.runUntil(() -> receiver.counters().packetsReceived() > 50);
        if (close) {
          arena.close();
        } else {
          side.hca.deregMr(own);
        }
        pair.run();
        return pair.a.oneSent().status();
      } finally {
        if (!close) {
          arena.close();
        }
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldReportLocProtErrWhenTheRequesterDeregisters(String op) {
      assertEquals(WcStatus.LOC_PROT_ERR, midway(true, false, op));
    }

    @ParameterizedTest
    @ValueSource(strings = {"SEND", "WRITE", "READ"})
    void shouldReportLocProtErrWhenTheRequesterClosesTheArena(String op) {
      assertEquals(WcStatus.LOC_PROT_ERR, midway(true, true, op));
    }

    @Test
    void shouldReportRemOpErrWhenTheResponderTakesAReceiveBufferAway() {
      assertEquals(WcStatus.REM_OP_ERR, midway(false, false, "SEND"));
      assertEquals(WcStatus.REM_OP_ERR, midway(false, true, "SEND"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "READ"})
    void shouldReportRemAccessErrWhenTheResponderDeregisters(String op) {
      assertEquals(WcStatus.REM_ACCESS_ERR, midway(false, false, op));
    }

    @ParameterizedTest
    @ValueSource(strings = {"WRITE", "READ"})
    void shouldReportRemAccessErrWhenTheResponderClosesTheArena(String op) {
      assertEquals(WcStatus.REM_ACCESS_ERR, midway(false, true, op));
    }

    @Test
    void shouldReportLocProtErrForAnAtomicWhoseResultHasNoPlaceAnyMore() {
      Arena arena = Arena.ofShared();
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, arena.allocate(8, 8), Access.LOCAL_WRITE);
        pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr(), pair.b.mr.rkey(), 1).sge(mr, 0, 8).signaled());
        pair.runUntil(() -> pair.b.counters().atomicsExecuted() == 1);
        arena.close();
        pair.run();
        assertEquals(WcStatus.LOC_PROT_ERR, pair.a.oneSent().status());
      }
    }

    @Test
    void shouldReportRemAccessErrForARepeatedReadOfMemoryThatIsGoneByNow() {
      try (Pair pair = Pair.connected()) {
        pair.fabric.link("a").setPartitioned(false, true);
        pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
        pair.runUntil(() -> pair.b.counters().packetsSent() == 1);
        pair.fabric.system().runFor(10_000);
        pair.b.hca.deregMr(pair.b.mr);
        pair.fabric.link("a").setPartitioned(false);
        pair.run();
        assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
      }
    }

    /**
     * The answer to the first request has come, so the key may be taken back; a second request that lingered is only waiting for its turn, or
     * half answered.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 40})
    void shouldGoOnWhenTheKeyOfARepeatedReadIsTakenBackBeforeItsAnswerHasLeft(int packets) {
      try (Pair pair = Pair.connected(); Arena arena = Arena.ofShared()) {
        MemoryRegion lent = pair.b.hca.regMr(pair.b.pd, arena.allocate(Pair.BUFFER, 64), Access.ALL);
        pair.a.send(pair.a.wr.read(lent.addr(), lent.rkey()).sge(pair.a.mr, 0, Pair.BUFFER).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        long before = pair.b.counters().packetsSent();
        pair.forge(pair.a, pair.b, Opcode.RC_RDMA_READ_REQUEST, 100, lent.addr(), lent.rkey(), Pair.BUFFER, 0, Payload.EMPTY);
        pair.runUntil(() -> pair.b.counters().packetsSent() >= before + packets);
        assertEquals(1, pair.b.counters().readsRepeated());
        assertTrue(pair.b.counters().packetsSent() < before + Pair.BUFFER / Pair.MTU, "the answer has not left as a whole");
        pair.b.hca.deregMr(lent);
        pair.run();
        assertEquals(QpState.RTS, pair.b.qp.state());
        assertTrue(pair.b.events().stream().noneMatch(event -> event.type() == AsyncEvent.Type.QP_ACCESS_ERR), "nobody did wrong");
        pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 3000).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess(), "the connection goes on");
        pair.assertSame(0, 0, 3000);
      }
    }

    @Test
    void shouldReportRemAccessErrForAnAtomicOnAClosedArena() {
      Arena arena = Arena.ofShared();
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, arena.allocate(8, 8), Access.ALL);
        arena.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, run(pair, pair.a.wr.fetchAndAdd(mr.addr(), mr.rkey(), 1).sge(pair.a.mr, 0, 8)));
        pair.b.hca.deregMr(mr);
      }
    }
  }

  @Test
  void shouldDrawKeysThatCannotBeGuessed() {
    try (Pair pair = new Pair()) {
      int count = 2000;
      Set<Integer> keys = new HashSet<>();
      int[] ones = new int[32];
      for (int i = 0; i < count; i++) {
        int key = pair.a.hca.regMr(pair.a.pd, pair.a.memory, Access.ALL).rkey();
        assertTrue(keys.add(key), "keys are different");
        for (int bit = 0; bit < 32; bit++) {
          ones[bit] += key >>> bit & 1;
        }
      }
      for (int bit = 0; bit < 32; bit++) {
        assertTrue(ones[bit] > count * 0.4 && ones[bit] < count * 0.6, "bit " + bit + " is set in " + ones[bit] + " of " + count);
      }
    }
  }

  @Test
  void shouldUpdateAWordAtomicallyAgainstLocalVarHandleAccess() throws InterruptedException {
    int each = 300_000;
    VarHandle word = ValueLayout.JAVA_LONG.varHandle();
    try (Pair pair = new Pair()) {
      Thread local = Thread.ofPlatform().daemon().start(() -> {
        for (int i = 0; i < each; i++) {
          word.getAndAdd(pair.b.memory, 8L, 1L);
        }
      });
      MemoryAccess access = new MemoryAccess(new MrTable(new SplittableRandom(1), 1), new UnpinnedMemory(() -> {}));
      Mr mr = (Mr) pair.b.mr;
      for (int i = 0; i < each; i++) {
        if (i % 2 == 0) {
          access.fetchAndAdd(mr, pair.b.mr.addr() + 8, 1);
        } else {
          long seen = pair.b.word(8);
          for (long was = access.compareAndSwap(mr, pair.b.mr.addr() + 8, seen, seen + 1); was != seen;
              was = access.compareAndSwap(mr, pair.b.mr.addr() + 8, seen, seen + 1)) {
            seen = was;
          }
        }
      }
      local.join(20_000);
      assertEquals(2L * each, pair.b.word(8));
    }
  }

  /** mlock. */
  @Nested
  class Pinning {
    private static final long PAGE = 4096;

    private static long lockedKib() throws IOException {
      return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmLck:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(-1);
    }

    @Test
    void shouldUnlockAPageOnlyWhenItsLastRegistrationGoes() throws IOException {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(16 * PAGE, PAGE);
        long pages = PageLocks.lockedPages();
        long kib = lockedKib();
        Needs.that(PageLocks.lock(memory.asSlice(0, 8 * PAGE)), "the limit on locked memory (ulimit -l) forbids to lock 32 KiB");
        Needs.that(PageLocks.lock(memory.asSlice(4 * PAGE + 100, 8 * PAGE - 100)), "the limit on locked memory (ulimit -l) forbids to lock 48 KiB");
        assertTrue(PageLocks.lock(memory.asSlice(5 * PAGE, 1)));
        assertEquals(pages + 12, PageLocks.lockedPages());
        assertEquals(kib + 48, lockedKib());
        PageLocks.unlock(memory.asSlice(0, 8 * PAGE));
        assertEquals(pages + 8, PageLocks.lockedPages());
        assertEquals(kib + 32, lockedKib());
        PageLocks.unlock(memory.asSlice(4 * PAGE + 100, 8 * PAGE - 100));
        assertEquals(pages + 1, PageLocks.lockedPages());
        assertEquals(kib + 4, lockedKib());
        PageLocks.unlock(memory.asSlice(5 * PAGE, 1));
        assertEquals(pages, PageLocks.lockedPages());
        assertEquals(kib, lockedKib());
      }
    }

    @Test
    void shouldPinRegisteredMemoryUntilItIsDeregistered() {
      try (Pair pair = Pair.with("weft.hca.pin-memory = true"); Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(3 * PAGE, PAGE);
        long before = PageLocks.lockedPages();
        MemoryRegion one = pair.a.hca.regMr(pair.a.pd, memory, Access.ALL);
        MemoryRegion two = pair.a.hca.regMr(pair.a.pd, memory, Access.ALL);
        Needs.that(one.isPinned() && two.isPinned(), "the limit on locked memory (ulimit -l) forbids to lock two regions");
        pair.a.hca.deregMr(one);
        assertEquals(before + 3, PageLocks.lockedPages());
        pair.a.hca.deregMr(two);
        assertEquals(before, PageLocks.lockedPages());
        pair.a.hca.deregMr(pair.a.mr);
        pair.b.hca.deregMr(pair.b.mr);
      }
    }

    @Test
    void shouldSayThatMemoryBeyondTheLimitIsNotPinnedAndLeaveItsBytesAlone() {
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(64 << 20, PAGE);
        memory.set(ValueLayout.JAVA_INT, 0, 77);
        long before = PageLocks.lockedPages();
        if (PageLocks.lock(memory)) {
          PageLocks.unlock(memory);
        }
        assertEquals(before, PageLocks.lockedPages());
        assertEquals(77, memory.get(ValueLayout.JAVA_INT, 0));
      }
    }
  }
}
