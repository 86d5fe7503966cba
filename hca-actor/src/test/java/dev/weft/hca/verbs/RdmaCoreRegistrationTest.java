package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.VerbsException.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Extended registration, buffers and prefetch: cases of rdma-core's tests/test_mr.py, test_buf.py, test_odp.py and
 * test_relaxed_ordering.py; see docs/reference/rdma-core-tests.md.
 */
@Tag("simulation")
class RdmaCoreRegistrationTest {
  private static final int PAGE = 4096;
  private static final int RELAXED_ORDERING = 1 << 20;

  private final Pair pair = Pair.connected();
  private final Hca hca = pair.b.hca;
  private final ProtectionDomain pd = pair.b.pd;

  @AfterEach
  void close() {
    pair.close();
  }

  private static void refused(Errno errno, org.junit.jupiter.api.function.Executable verb) {
    RegionTraffic.refused(errno, verb);
  }

  /** {@link MrInitAttr} with memory of the consumer's own. */
  @Nested
  class MrEx {
    @Test
    void testRegMrexInvalParams() {
      PdBuffer buffer = hca.allocBuffer(pd, PAGE);
      DeviceMemory dm = hca.allocDm(PAGE);
      int regions = hca.inspect().memoryRegions().size();
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().access(Access.LOCAL_WRITE)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).buffer(buffer)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().deviceMemory(dm).memory(pair.b.memory).access(Access.ZERO_BASED)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().buffer(buffer).deviceMemory(dm).access(Access.ZERO_BASED)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).range(1, Pair.BUFFER)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).range(-1, 8)));
      refused(Errno.EINVAL, () -> hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).range(0, 0)));
      assertEquals(regions, hca.inspect().memoryRegions().size());
    }

    /** Relaxed ordering is a hint, which we ignore. */
    @Test
    void testRoMrExTraffic() {
      MemoryRegion mr = hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).range(64, 5000).access(Access.ALL | RELAXED_ORDERING));
      RegionTraffic.run(pair, WrOpcode.RDMA_WRITE, pair.a.mr, mr, 4999);
    }

    @Test
    void testMrexOdpRcTraffic() {
      MemoryRegion mr = hca.regMr(pd, new MrInitAttr().memory(pair.b.memory).range(4096, 8192).access(Access.ALL));
      assertFalse(mr.isPinned());
      RegionTraffic.run(pair, WrOpcode.SEND, pair.a.mr, mr, 1024);
      RegionTraffic.run(pair, WrOpcode.RDMA_READ, pair.a.mr, mr, 8192);
    }

    @Test
    void testMwExType1() {
      MemoryRegion mr = hca.regMr(pd,
          new MrInitAttr().memory(pair.b.memory).range(128, 4096).iova(0x7000).access(Access.ALL | Access.MW_BIND));
      MemoryWindow window = hca.allocMw(pd, MemoryWindow.Type.TYPE_1);
      int key = hca.bindMw(pair.b.qp, new MwBind(window, 0, mr, 0x7000 + 16, 64, Access.REMOTE_WRITE), 1, SendFlags.SIGNALED);
      pair.run();
      assertEquals(WcOpcode.BIND_MW, pair.b.oneSent().opcode());
      RegionTraffic.fill(pair.a.memory, 64, 3);
      pair.a.send(pair.a.wr.write(0x7000 + 16, key).sge(pair.a.mr, 0, 64).signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      RegionTraffic.assertFilled(pair.b.memory.asSlice(128 + 16), 64, 3);
      pair.a.send(pair.a.wr.write(0x7000 + 17, key).sge(pair.a.mr, 0, 64).signaled());
      pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
    }
  }

  /** tests/test_buf.py, on the plain memory that there is. */
  @Nested
  class Buf {
    private final PdBuffer buffer = hca.allocBuffer(pd, 8L * PAGE);
    /** All but the first page. */
    private final MemoryRegion mr = register(PAGE, 7 * PAGE);

    private MemoryRegion register(long offset, long length) {
      return hca.regMr(pd, new MrInitAttr().buffer(buffer).range(offset, length).access(Access.ALL));
    }

    private void traffic(WrOpcode op, int length) {
      RegionTraffic.run(pair, op, pair.a.mr, mr, length);
      if (op != WrOpcode.RDMA_READ) {
        RegionTraffic.assertFilled(buffer.segment().asSlice(PAGE), length, RegionTraffic.ITERATIONS - 1);
      }
      for (int i = 0; i < PAGE; i++) {
        assertEquals(0, buffer.segment().get(ValueLayout.JAVA_BYTE, i), "byte in front of the region");
      }
    }

    @Test
    void testMultipleMrsOneBufPlainPdRegMrEx() {
      PdBuffer two = hca.allocBuffer(pd, 2 * PAGE);
      MemoryRegion first = hca.regMr(pd, new MrInitAttr().buffer(two).range(0, PAGE).access(Access.ALL));
      MemoryRegion second = hca.regMr(pd, new MrInitAttr().buffer(two).range(PAGE, PAGE).access(Access.ALL));
      assertNotEquals(first.lkey(), second.lkey());
      assertEquals(List.of(two.segment().address(), two.segment().address() + PAGE), List.of(first.addr(), second.addr()));
      RegionTraffic.run(pair, WrOpcode.RDMA_WRITE, pair.a.mr, first, PAGE);
      RegionTraffic.run(pair, WrOpcode.RDMA_WRITE, pair.a.mr, second, PAGE - 1);
      RegionTraffic.assertFilled(two.segment(), PAGE, RegionTraffic.ITERATIONS - 1);
      refused(Errno.EBUSY, () -> hca.freeBuffer(two));
      hca.deregMrs(List.of(first, second));
      hca.freeBuffer(two);
      refused(Errno.EINVAL, () -> hca.freeBuffer(two));
    }

    @Test
    void testBufRegWrongAllocatingPdFailsPlainPd() {
      ProtectionDomain other = hca.allocPd();
      refused(Errno.EINVAL, () -> hca.regMr(other, new MrInitAttr().buffer(buffer).access(Access.LOCAL_WRITE)));
      hca.deallocPd(other);
    }

    @Test
    void testBufRegLengthExceedsBufferFailsPlainPd() {
      refused(Errno.EINVAL, () -> register(0, 8 * PAGE + 1));
    }

    @Test
    void testBufRegOffsetLengthExceedsBufferFailsPlainPd() {
      refused(Errno.EINVAL, () -> register(PAGE, 8 * PAGE));
      refused(Errno.EINVAL, () -> register(9 * PAGE, 1));
      refused(Errno.EINVAL, () -> register(Long.MAX_VALUE, 2));
    }

    @Test
    void testBufRcSendPlainPdRegBufMr() {
      traffic(WrOpcode.SEND, 1024);
    }

    @Test
    void testBufRcSendLargeMsg() {
      traffic(WrOpcode.SEND, 16384);
    }

    @Test
    void testBufRcRdmaWriteImm() {
      traffic(WrOpcode.RDMA_WRITE_WITH_IMM, 1024);
    }

    @Test
    void testBufRcRdmaRead() {
      traffic(WrOpcode.RDMA_READ, 1024);
    }

    @Test
    void testBufRcAtomicFetchAdd() {
      for (int i = 0; i < 10; i++) {
        pair.a.send(pair.a.wr.fetchAndAdd(mr.addr() + 8, mr.rkey(), 5).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(List.of(5L * i, 5L * (i + 1)),
            List.of(pair.a.word(0), buffer.segment().get(ValueLayout.JAVA_LONG, PAGE + 8)));
      }
    }

    @Test
    void testBufUdSend() {
      try (TypedPair p = TypedPair.of(QpType.UD)) {
        PdBuffer ud = p.b.hca.allocBuffer(p.b.pd, 2 * PAGE);
        MemoryRegion udMr = p.b.hca.regMr(p.b.pd, new MrInitAttr().buffer(ud).range(PAGE, PAGE).access(Access.LOCAL_WRITE));
        for (int i = 0; i < RegionTraffic.ITERATIONS; i++) {
          RegionTraffic.fill(p.a.memory, 512, i);
          p.qb.postReceive(p.b.rr.receive(i).sge(udMr, 0, 40 + 512));
          p.qa.postSend(p.toB(p.a.wr.send()).sge(p.a.mr, 0, 512));
          p.run();
          WorkCompletion got = p.b.oneReceived();
          assertEquals(List.of((long) i, 552), List.of(got.wrId(), got.byteLen()));
          RegionTraffic.assertFilled(ud.segment().asSlice(PAGE + 40), 512, i);
        }
      }
    }

    @Test
    void shouldKeepItsDomain() {
      ProtectionDomain own = hca.allocPd();
      PdBuffer kept = hca.allocBuffer(own, 1);
      refused(Errno.EBUSY, () -> hca.deallocPd(own));
      hca.freeBuffer(kept);
      refused(Errno.EINVAL, () -> hca.regMr(own, new MrInitAttr().buffer(kept).access(0)));
      hca.deallocPd(own);
      refused(Errno.EINVAL, () -> hca.allocBuffer(own, 1));
      refused(Errno.EINVAL, () -> hca.allocBuffer(pd, 0));
      refused(Errno.EINVAL, () -> hca.allocBuffer(pair.a.pd, 1));
    }
  }

  /** tests/test_odp.py: pages that are brought in before they are used. */
  @Nested
  class Prefetch {
    private static final int LENGTH = 64 * PAGE;
    private static final int HUGE = 2 << 20;

    @TempDir
    private Path dir;

    private final Arena arena = Arena.ofShared();
    private MemorySegment sparse;
    private MemoryRegion mr;

    @AfterEach
    void closeArena() {
      arena.close();
    }

    /** Memory whose pages are not there, registered and not pinned. */
    private void registerSparse() throws IOException {
      try (FileChannel file = FileChannel.open(dir.resolve("memory"), StandardOpenOption.CREATE, StandardOpenOption.READ,
          StandardOpenOption.WRITE)) {
        sparse = file.map(FileChannel.MapMode.READ_WRITE, 0, LENGTH, arena);
      }
      mr = hca.regMr(pd, sparse, Access.ALL);
      assertFalse(sparse.isLoaded());
    }

    private void traffic() {
      RegionTraffic.run(pair, WrOpcode.SEND, pair.a.mr, mr, 3 * PAGE);
      hca.deregMr(mr);
    }

    @ParameterizedTest
    @EnumSource(value = MrAdvice.class, names = {"PREFETCH", "PREFETCH_WRITE"})
    void testOdpSyncPrefetchRcTraffic(MrAdvice advice) throws IOException {
      registerSparse();
      hca.adviseMr(pd, advice, true, mr, 0, LENGTH);
      assertTrue(sparse.isLoaded());
      assertEquals(-1, sparse.mismatch(MemorySegment.ofArray(new byte[LENGTH])), "advice changes no byte");
      traffic();
    }

    @ParameterizedTest
    @EnumSource(value = MrAdvice.class, names = {"PREFETCH", "PREFETCH_WRITE"})
    void testOdpAsyncPrefetchRcTraffic(MrAdvice advice) throws IOException {
      registerSparse();
      hca.adviseMr(pd, advice, false, mr, 100, LENGTH - 101);
      traffic();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void testOdpPrefetchNoPageFaultRcTraffic(boolean wait) throws IOException {
      registerSparse();
      hca.adviseMr(pd, MrAdvice.PREFETCH_NO_FAULT, wait, mr, 0, LENGTH);
      assertFalse(sparse.isLoaded(), "no page was brought in");
      traffic();
    }

    @ParameterizedTest
    @CsvSource({"0,1", "1,2", "3,4", "5,9", "4095,2", "4093,4100", "0,262144"})
    void shouldTouchRangesOfAnyPlaceAndLength(long offset, long length) throws IOException {
      registerSparse();
      for (MrAdvice advice : List.of(MrAdvice.PREFETCH, MrAdvice.PREFETCH_WRITE)) {
        hca.adviseMr(pd, advice, true, mr, offset, length);
      }
      long first = offset / PAGE * PAGE;
      assertTrue(sparse.asSlice(first, offset + length - first).isLoaded());
      assertEquals(-1, sparse.mismatch(MemorySegment.ofArray(new byte[LENGTH])));
    }

    /** Memory of huge-page size and alignment; whether the kernel backs it with one page is its own affair. */
    private void hugeTraffic(MemorySegment huge, MemoryRegion far) {
      assertEquals(List.of(0L, (long) HUGE), List.of(huge.address() % HUGE, far.length()));
      assertFalse(far.isPinned());
      RegionTraffic.run(pair, WrOpcode.SEND, pair.a.mr, far, Pair.BUFFER);
      RegionTraffic.fill(pair.a.memory, PAGE, 77);
      pair.a.send(pair.a.wr.write(far.addr() + HUGE - PAGE, far.rkey()).sge(pair.a.mr, 0, PAGE).signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      RegionTraffic.assertFilled(huge.asSlice(HUGE - PAGE), PAGE, 77);
    }

    /** The library allocates. */
    @Test
    void testOdpRcHugeTraffic() {
      PdBuffer buffer = hca.allocBuffer(pd, 2 * HUGE);
      long offset = -buffer.segment().address() & HUGE - 1;
      MemoryRegion far = hca.regMr(pd, new MrInitAttr().buffer(buffer).range(offset, HUGE).access(Access.ALL));
      hugeTraffic(buffer.segment().asSlice(offset, HUGE), far);
    }

    /** The consumer allocates. */
    @Test
    void testOdpRcHugeUserAddrTraffic() {
      MemorySegment huge = arena.allocate(HUGE, HUGE);
      MemoryRegion far = hca.regMr(pd, huge, Access.ALL);
      hugeTraffic(huge, far);
      hca.deregMr(far);
    }

    @Test
    void shouldRefuseWhatIsNotARangeOfAValidRegion() {
      MemoryRegion readOnly = hca.regMr(pd, pair.b.memory, Access.REMOTE_READ);
      hca.adviseMr(pd, MrAdvice.PREFETCH, true, readOnly, 0, 8);
      refused(Errno.EPERM, () -> hca.adviseMr(pd, MrAdvice.PREFETCH_WRITE, true, readOnly, 0, 8));
      refused(Errno.EINVAL, () -> hca.adviseMr(pd, MrAdvice.PREFETCH, true, readOnly, 0, 0));
      refused(Errno.EINVAL, () -> hca.adviseMr(pd, MrAdvice.PREFETCH, false, readOnly, 1, Pair.BUFFER));
      refused(Errno.EINVAL, () -> hca.adviseMr(hca.allocPd(), MrAdvice.PREFETCH, true, readOnly, 0, 8));
      refused(Errno.EINVAL, () -> hca.adviseMr(pair.a.pd, MrAdvice.PREFETCH, true, readOnly, 0, 8));
      hca.deregMr(readOnly);
      refused(Errno.EINVAL, () -> hca.adviseMr(pd, MrAdvice.PREFETCH_NO_FAULT, true, readOnly, 0, 8));
    }
  }
}
