package dev.weft.hca.memory;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Re-registration; also the rereg cases of rdma-core's tests/test_mr.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class ReregTest {
  private static WcStatus run(Pair pair, WorkRequest wr) {
    pair.a.send(wr.signaled());
    pair.run();
    return pair.a.oneSent().status();
  }

  private static WcStatus write(Pair pair, MemoryRegion mr) {
    return run(pair, pair.a.wr.write(mr.addr(), mr.rkey()).sge(pair.a.mr, 0, 64));
  }

  private static MemoryRegion rereg(Pair pair, int changes, ProtectionDomain pd, MemorySegment segment, int access) {
    return pair.b.hca.reregMr(pair.b.mr, changes, pd, segment, 0x700000, access);
  }

  /** tests/test_mr.py, MRTest. */
  @Nested
  class RdmaCoreMr {
    @Test
    void testMrReregAddr() {
      try (Pair pair = Pair.connected(); Arena arena = Arena.ofShared()) {
        MemorySegment elsewhere = arena.allocate(64, 8);
        MemoryRegion now = rereg(pair, Rereg.TRANSLATION, null, elsewhere, 0);
        assertEquals(0x700000, now.addr());
        assertEquals(64, now.length());
        assertEquals(Access.ALL, now.access());
        assertNotEquals(pair.b.mr.rkey(), now.rkey());
        assertFalse(pair.b.mr.isValid());
        pair.b.qp.postReceive(pair.b.rr.receive(2).sge(now, 0, 64));
        pair.a.fill(6);
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 64)));
        assertEquals(-1, elsewhere.mismatch(pair.a.memory.asSlice(0, 64)));
        pair.b.post(3, 0, 64);
        assertEquals(WcStatus.REM_OP_ERR, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 64)), "the former key");
        pair.b.hca.deregMr(now);
      }
    }

    @Test
    void testMrReregAccess() {
      try (Pair pair = Pair.connected()) {
        MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, Access.LOCAL_WRITE);
        int key = mr.rkey();
        assertSame(mr, pair.b.hca.reregMr(mr, Rereg.ACCESS, null, null, 0, Access.LOCAL_WRITE | Access.REMOTE_WRITE));
        assertEquals(key, mr.rkey(), "only rights change: the keys stay");
        assertEquals(WcStatus.SUCCESS, write(pair, mr));
      }
    }

    @Test
    void testMrReregAccessBadFlow() {
      try (Pair pair = Pair.connected()) {
        assertEquals(WcStatus.SUCCESS, write(pair, pair.b.mr));
        rereg(pair, Rereg.ACCESS, null, null, Access.LOCAL_WRITE);
        assertEquals(WcStatus.REM_ACCESS_ERR, write(pair, pair.b.mr));
      }
    }

    @Test
    void testMrReregPd() {
      try (Pair pair = Pair.connected()) {
        ProtectionDomain other = pair.b.hca.allocPd();
        MemoryRegion moved = rereg(pair, Rereg.PD, other, null, 0);
        assertSame(other, moved.pd());
        assertEquals(pair.b.mr.addr(), moved.addr());
        assertNotEquals(pair.b.mr.rkey(), moved.rkey());
        pair.b.qp.postReceive(pair.b.rr.receive(1).sge(moved, 0, 64));
        assertEquals(WcStatus.REM_OP_ERR, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 64)));
        refused(Errno.EBUSY, () -> pair.b.hca.deallocPd(other));
        pair.b.received();
        pair.reconnect();
        MemoryRegion back = pair.b.hca.reregMr(moved, Rereg.PD, pair.b.pd, null, 0, 0);
        pair.b.hca.deallocPd(other);
        pair.b.qp.postReceive(pair.b.rr.receive(2).sge(back, 0, 64));
        assertEquals(WcStatus.SUCCESS, run(pair, pair.a.wr.send().sge(pair.a.mr, 0, 64)));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7})
  void shouldChangeWhatIsAskedAndKeepTheRest(int changes) {
    try (Pair pair = Pair.connected(); Arena arena = Arena.ofShared()) {
      ProtectionDomain other = pair.b.hca.allocPd();
      MemorySegment elsewhere = arena.allocate(128, 8);
      MemoryRegion was = pair.b.mr;
      long addr = was.addr();
      MemoryRegion now = rereg(pair, changes, other, elsewhere, Access.REMOTE_READ);
      assertEquals((changes & Rereg.TRANSLATION) != 0 ? 0x700000 : addr, now.addr());
      assertEquals((changes & Rereg.TRANSLATION) != 0 ? 128 : Pair.BUFFER, now.length());
      assertSame((changes & Rereg.PD) != 0 ? other : pair.b.pd, now.pd());
      assertEquals((changes & Rereg.ACCESS) != 0 ? Access.REMOTE_READ : Access.ALL, now.access());
      assertTrue(now.isValid());
      if (changes == Rereg.ACCESS) {
        assertSame(was, now);
      } else {
        assertNotSame(was, now);
        assertFalse(was.isValid());
        refused(Errno.EINVAL, () -> pair.b.hca.deregMr(was));
      }
      assertEquals(1, pair.b.hca.inspect().memoryRegions().size());
      boolean readable = (changes & Rereg.PD) == 0;
      WcStatus status = run(pair, pair.a.wr.read(now.addr(), now.rkey()).sge(pair.a.mr, 0, 64));
      assertEquals(readable ? WcStatus.SUCCESS : WcStatus.REM_ACCESS_ERR, status);
      pair.b.hca.deregMr(now);
      pair.b.hca.deallocPd(other);
    }
  }

  @Test
  void shouldLeaveTheRegionAloneWhenRefused() {
    try (Pair pair = Pair.connected()) {
      refused(Errno.EINVAL, () -> rereg(pair, 0, null, null, 0));
      refused(Errno.EINVAL, () -> rereg(pair, 8, null, null, 0));
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.ACCESS, null, null, Access.REMOTE_WRITE));
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.ACCESS, null, null, 1 << 10));
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.PD, pair.a.pd, null, 0));
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.TRANSLATION, null, MemorySegment.ofArray(new byte[8]), 0));
      ProtectionDomain gone = pair.b.hca.allocPd();
      pair.b.hca.deallocPd(gone);
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.PD, gone, null, 0));
      assertEquals(WcStatus.SUCCESS, write(pair, pair.b.mr));
      pair.b.hca.deregMr(pair.b.mr);
      refused(Errno.EINVAL, () -> rereg(pair, Rereg.ACCESS, null, null, Access.ALL));
    }
  }

  @Test
  void shouldRefuseWhileAWindowIsBound() {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, Access.LOCAL_WRITE | Access.MW_BIND);
      MemoryWindow window = pair.b.hca.allocMw(pair.b.pd, MemoryWindow.Type.TYPE_1);
      pair.b.hca.bindMw(pair.b.qp, new MwBind(window, 0, mr, mr.addr(), 8, Access.REMOTE_READ), 0, 0);
      pair.run();
      assertTrue(window.isBound());
      refused(Errno.EBUSY, () -> pair.b.hca.reregMr(mr, Rereg.ACCESS, null, null, 0, Access.ALL));
      pair.b.hca.deallocMw(window);
      pair.b.hca.reregMr(mr, Rereg.ACCESS, null, null, 0, Access.ALL);
    }
  }

  @Test
  void shouldWorkWhenTheTableIsFull() {
    try (Pair pair = Pair.with("weft.hca.memory-regions-max = 1")) {
      assertNotEquals(pair.b.mr.rkey(), rereg(pair, Rereg.TRANSLATION, null, pair.b.memory, 0).rkey());
    }
  }

  @Test
  void shouldFailWhatIsUnderWayWithTheFormerRegionButNotWhenOnlyRightsAreAdded() {
    for (int changes : new int[] {Rereg.TRANSLATION, Rereg.ACCESS}) {
      try (Pair pair = Pair.connected()) {
        pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 400_000).signaled());
        pair.runUntil(() -> pair.a.counters().packetsReceived() > 50);
        rereg(pair, changes, null, pair.b.memory.asSlice(0, 64), Access.ALL);
        pair.run();
        assertEquals(changes == Rereg.ACCESS ? WcStatus.SUCCESS : WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
      }
    }
  }

  @Test
  void shouldStartAtZeroWhenZeroBased() {
    try (Pair pair = Pair.connected()) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, Access.ALL | Access.ZERO_BASED);
      assertEquals(0, mr.addr());
      assertEquals(WcStatus.SUCCESS, write(pair, mr));
      MemoryRegion ordinary = pair.b.hca.regMr(pair.b.pd, pair.b.memory, Access.ALL);
      MemoryRegion zero = pair.b.hca.reregMr(ordinary, Rereg.ACCESS, null, null, 0, Access.ALL | Access.ZERO_BASED);
      assertNotEquals(ordinary.rkey(), zero.rkey(), "the addresses change, so the keys do");
      assertEquals(0, zero.addr());
    }
  }

  @Test
  void shouldMovePinsWithTheMemory() {
    try (Pair pair = Pair.with("weft.hca.pin-memory = true"); Arena arena = Arena.ofShared()) {
      long before = PageLocks.lockedPages();
      MemoryRegion mr = pair.a.hca.regMr(pair.a.pd, arena.allocate(3 * 4096, 4096), Access.ALL);
      Needs.that(mr.isPinned(), "the limit on locked memory (ulimit -l) forbids to lock 12 KiB");
      assertEquals(before + 3, PageLocks.lockedPages());
      MemoryRegion now = pair.a.hca.reregMr(mr, Rereg.TRANSLATION, null, arena.allocate(5 * 4096, 4096), 0, 0);
      assertEquals(before + 5, PageLocks.lockedPages());
      MemoryRegion same = pair.a.hca.reregMr(now, Rereg.PD, pair.a.hca.allocPd(), null, 0, 0);
      assertEquals(before + 5, PageLocks.lockedPages());
      refused(Errno.EINVAL, () -> pair.a.hca.reregMr(now, Rereg.TRANSLATION, null, arena.allocate(4096, 4096), 0, 0));
      assertEquals(before + 5, PageLocks.lockedPages());
      pair.a.hca.deregMr(same);
      assertEquals(before, PageLocks.lockedPages());
      pair.a.hca.deregMr(pair.a.mr);
      pair.b.hca.deregMr(pair.b.mr);
    }
  }
}
