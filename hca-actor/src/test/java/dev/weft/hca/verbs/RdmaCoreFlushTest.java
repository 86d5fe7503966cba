package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** FLUSH and ATOMIC_WRITE of rdma-core's tests/test_qpex.py and test_odp.py, and beyond; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class RdmaCoreFlushTest {
  private static final int LENGTH = 5000;
  private static final int RIGHTS = Access.ALL | Access.FLUSH_GLOBAL;
  private static final UnaryOperator<QpAttr> SAME = attr -> attr;

  @TempDir
  private Path dir;

  private static Pair connected(int qpAccess, String overrides) {
    return new Pair(1, LinkFaults.NONE, Pair.QpShape.DEFAULT, RIGHTS, ConfigFactory.parseString(overrides))
        .connect(1, 1, init -> init.accessFlags(qpAccess), SAME, SAME);
  }

  private static Pair connected() {
    return connected(RIGHTS, "");
  }

  /** A write that nobody waits for, and a flush of it: when that completes, the bytes are there. */
  private static void flushTraffic(Pair pair, MemoryRegion far, int types, FlushLevel level) {
    for (int i = 0; i < RegionTraffic.ITERATIONS; i++) {
      RegionTraffic.fill(pair.a.memory, LENGTH, i);
      long before = pair.b.counters().flushesExecuted();
      pair.a.send(pair.a.wr.write(far.addr(), far.rkey()).sge(pair.a.mr, 0, LENGTH));
      pair.a.send(pair.a.wr.flush(far.addr(), far.rkey(), LENGTH, types, level).wrId(i).signaled());
      pair.runUntil(() -> pair.a.sendCq.size() > 0);
      RegionTraffic.assertFilled(far.segment(), LENGTH, i);
      WorkCompletion done = pair.a.oneSent();
      assertEquals(List.of(WcStatus.SUCCESS, WcOpcode.FLUSH, (long) i, 0),
          List.of(done.status(), done.opcode(), done.wrId(), done.byteLen()));
      assertEquals(before + 1, pair.b.counters().flushesExecuted());
    }
    pair.run();
    assertTrue(pair.b.received().isEmpty());
  }

  private static WcStatus flush(Pair pair, MemoryRegion far, long offset, int length, int types, FlushLevel level) {
    pair.a.send(pair.a.wr.flush(far.addr() + offset, far.rkey(), length, types, level).signaled());
    pair.run();
    return pair.a.oneSent().status();
  }

  @ParameterizedTest
  @EnumSource(FlushLevel.class)
  void testQpExRcFlush(FlushLevel level) {
    try (Pair pair = connected()) {
      flushTraffic(pair, pair.b.mr, FlushType.GLOBAL, level);
    }
  }

  @Test
  void testQpExRcFlushTypeViolate() {
    try (Pair pair = connected(Access.QP, "")) {
      assertEquals(WcStatus.REM_ACCESS_ERR, flush(pair, pair.b.mr, 0, 64, FlushType.PERSISTENT, FlushLevel.RANGE));
      assertEquals(0, pair.b.counters().flushesExecuted());
      assertEquals(List.of(QpState.ERR, QpState.ERR), List.of(pair.a.qp.state(), pair.b.qp.state()));
    }
  }

  @ParameterizedTest
  @EnumSource(FlushLevel.class)
  void testOdpQpExRcFlush(FlushLevel level) throws IOException {
    try (Pair pair = connected(); Arena arena = Arena.ofShared()) {
      MemorySegment sparse = sparse(arena, 1 << 16);
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, sparse, RIGHTS);
      assertTrue(!mr.isPinned() && !sparse.isLoaded(), "pages come when they are written");
      flushTraffic(pair, mr, FlushType.GLOBAL, level);
      pair.b.hca.deregMr(mr);
    }
  }

  @ParameterizedTest
  @EnumSource(FlushLevel.class)
  void testMrexOdpQpExRcFlush(FlushLevel level) throws IOException {
    try (Pair pair = connected(); Arena arena = Arena.ofShared()) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd,
          new MrInitAttr().memory(sparse(arena, 1 << 16)).range(4096, 8192).iova(0x5000).access(RIGHTS));
      assertEquals(List.of(0x5000L, 8192L, false), List.of(mr.addr(), mr.length(), mr.isPinned()));
      flushTraffic(pair, mr, FlushType.GLOBAL, level);
      pair.b.hca.deregMr(mr);
    }
  }

  @Test
  void testQpExRcAtomicWrite() {
    try (Pair pair = connected()) {
      RegionTraffic.run(pair, WrOpcode.ATOMIC_WRITE, pair.a.mr, pair.b.mr, 8);
      assertEquals(RegionTraffic.ITERATIONS, pair.b.counters().atomicWritesExecuted());
    }
  }

  @Test
  void testOdpQpExRcAtomicWrite() throws IOException {
    try (Pair pair = connected(); Arena arena = Arena.ofShared()) {
      MemorySegment sparse = sparse(arena, 4096);
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, sparse, RIGHTS);
      assertTrue(!mr.isPinned() && !sparse.isLoaded(), "pages come when they are written");
      RegionTraffic.run(pair, WrOpcode.ATOMIC_WRITE, pair.a.mr, mr, 8);
      pair.b.hca.deregMr(mr);
    }
  }

  /** Memory whose pages are not there yet. */
  private MemorySegment sparse(Arena arena, long bytes) throws IOException {
    try (FileChannel file = FileChannel.open(dir.resolve("memory"), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      return file.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
    }
  }

  @ParameterizedTest
  @EnumSource(FlushLevel.class)
  void shouldMakeAMappedFilePersistentWhereTheSettingsAllowIt(FlushLevel level) throws IOException {
    try (Pair pair = connected(Access.QP, "weft.hca.persistent-flush = true"); Arena arena = Arena.ofShared()) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, sparse(arena, 1 << 16), RIGHTS | Access.FLUSH_PERSISTENT);
      flushTraffic(pair, mr, FlushType.PERSISTENT | FlushType.GLOBAL, level);
      assertEquals(WcStatus.SUCCESS, flush(pair, mr, 100, 0, FlushType.PERSISTENT, level));
      pair.b.hca.deregMr(mr);
    }
  }

  @Test
  void shouldRefuseToRegisterForPersistenceWhatCannotPersist() throws IOException {
    try (Pair on = connected(Access.QP, "weft.hca.persistent-flush = true"); Pair off = connected(); Arena arena = Arena.ofShared()) {
      MemorySegment mapped = sparse(arena, 4096);
      RegionTraffic.refused(Errno.EINVAL, () -> on.b.hca.regMr(on.b.pd, on.b.memory, Access.FLUSH_PERSISTENT));
      RegionTraffic.refused(Errno.EINVAL, () -> off.b.hca.regMr(off.b.pd, mapped, Access.FLUSH_PERSISTENT));
      on.b.hca.deregMr(on.b.hca.regMr(on.b.pd, mapped, Access.FLUSH_PERSISTENT));
    }
  }

  /** What the region and the queue pair grant, where, how much, and what comes of it. */
  @ParameterizedTest
  @CsvSource({"RANGE,0,1048576,SUCCESS", "RANGE,1048576,0,SUCCESS", "RANGE,0,1048577,REM_ACCESS_ERR", "RANGE,-1,1,REM_ACCESS_ERR",
      "REGION,-1,2147483647,SUCCESS"})
  void shouldFlushRangesOfTheRegionOnly(FlushLevel level, long offset, int length, WcStatus status) {
    try (Pair pair = connected()) {
      assertEquals(status, flush(pair, pair.b.mr, offset, length, FlushType.GLOBAL, level));
      assertEquals(status == WcStatus.SUCCESS ? 1 : 0, pair.b.counters().flushesExecuted());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAskRegionAndQueuePairForTheRightToFlush(boolean regionGrants) {
    try (Pair pair = connected(regionGrants ? Access.ALL : RIGHTS, "")) {
      MemoryRegion mr = pair.b.hca.regMr(pair.b.pd, pair.b.memory, regionGrants ? RIGHTS : Access.ALL);
      assertEquals(regionGrants ? WcStatus.REM_INV_REQ_ERR : WcStatus.REM_ACCESS_ERR,
          flush(pair, mr, 0, 8, FlushType.GLOBAL, FlushLevel.REGION));
      AsyncEvent.Type told = regionGrants ? AsyncEvent.Type.QP_REQ_ERR : AsyncEvent.Type.QP_ACCESS_ERR;
      assertTrue(pair.b.events().stream().anyMatch(e -> e.type() == told));
    }
  }

  @Test
  void shouldRefuseAFlushThatSaysNothingOrCarriesBytes() {
    try (Pair pair = connected()) {
      WorkRequest wr = pair.a.wr;
      RegionTraffic.refused(Errno.EINVAL, () -> wr.flush(0, 0, 1, 0, FlushLevel.RANGE));
      RegionTraffic.refused(Errno.EINVAL, () -> wr.flush(0, 0, 1, 4, FlushLevel.RANGE));
      RegionTraffic.refused(Errno.EINVAL, () -> wr.flush(0, 0, -1, FlushType.GLOBAL, FlushLevel.RANGE));
      RegionTraffic.refused(Errno.EINVAL,
          () -> pair.a.send(wr.flush(0, 0, 1, FlushType.GLOBAL, FlushLevel.RANGE).sge(pair.a.mr, 0, 8)));
      RegionTraffic.refused(Errno.EINVAL,
          () -> pair.a.send(wr.flush(0, 0, 1, FlushType.GLOBAL, FlushLevel.RANGE).inline(pair.a.memory.asSlice(0, 8))));
      assertEquals(0, pair.a.qp.sendQueueSize());
    }
  }

  @ParameterizedTest
  @CsvSource({"0,7,LOC_LEN_ERR", "0,9,LOC_LEN_ERR", "4,8,REM_INV_REQ_ERR", "1048576,8,REM_ACCESS_ERR"})
  void shouldRefuseAnAtomicWriteOfAnotherLengthOrPlace(long offset, int length, WcStatus status) {
    try (Pair pair = connected()) {
      pair.a.send(pair.a.wr.atomicWrite(pair.b.mr.addr() + offset, pair.b.mr.rkey()).sge(pair.a.mr, 0, length).signaled());
      pair.run();
      assertEquals(status, pair.a.oneSent().status());
      assertEquals(0, pair.b.counters().atomicWritesExecuted());
    }
  }

  @Test
  void shouldNeedTheRightToWriteForAnAtomicWrite() {
    try (Pair pair = connected(RIGHTS & ~Access.REMOTE_WRITE, "")) {
      pair.a.send(pair.a.wr.atomicWrite(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals(WcStatus.REM_INV_REQ_ERR, pair.a.oneSent().status());
    }
  }

  /** A repeated request must be answered, but not change a word that has changed since. */
  @Test
  void shouldNotWriteAgainWhenAnAtomicWriteArrivesAgain() {
    try (Pair pair = connected()) {
      pair.a.word(0, 7);
      pair.a.send(pair.a.wr.atomicWrite(pair.b.mr.addr(), pair.b.mr.rkey()).inline(pair.a.memory.asSlice(0, 8)).signaled());
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      pair.b.word(0, 9);
      pair.forge(pair.a, pair.b, Opcode.RC_ATOMIC_WRITE, 1, pair.b.mr.addr(), pair.b.mr.rkey(), 8, 0, Payload.of(pair.a.memory, 0, 8));
      pair.run();
      assertEquals(9, pair.b.word(0));
      assertEquals(List.of(1L, 1L), List.of(pair.b.counters().duplicateRequests(), pair.b.counters().atomicWritesExecuted()));
    }
  }

  /** Losses in both directions, with reads and atomics in between that share the limit of outstanding requests. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldExecuteEachOnceAndInOrderOverALossyLink(long seed) {
    System.out.println("seed " + seed);
    LinkFaults lossy = new LinkFaults(0.05, 0.05, 0.05, 0.02, 20_000);
    try (Pair pair = new Pair(seed, lossy, Pair.QpShape.DEFAULT, RIGHTS).connect(1, 1, init -> init.accessFlags(RIGHTS), SAME,
        rts -> rts.timeout(8).maxRdAtomic(3))) {
      int rounds = 40;
      for (int i = 0; i < rounds; i++) {
        pair.a.word(0, i);
        pair.a.send(pair.a.wr.atomicWrite(pair.b.mr.addr(), pair.b.mr.rkey()).inline(pair.a.memory.asSlice(0, 8)));
        pair.a.send(pair.a.wr.fetchAndAdd(pair.b.mr.addr() + 8, pair.b.mr.rkey(), 1).sge(pair.a.mr, 64, 8));
        pair.a.send(pair.a.wr.flush(pair.b.mr.addr(), pair.b.mr.rkey(), 16, FlushType.GLOBAL, FlushLevel.RANGE));
        pair.a.send(pair.a.wr.read(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 128, 16).wrId(i).signaled());
        pair.run();
        assertEquals(i, pair.a.oneSent().wrId());
        assertEquals(List.of((long) i, i + 1L), List.of(pair.a.word(128), pair.a.word(136)));
      }
      HcaSnapshot.Counters counters = pair.b.counters();
      assertEquals(List.of((long) rounds, (long) rounds, (long) rounds),
          List.of(counters.atomicWritesExecuted(), counters.flushesExecuted(), counters.atomicsExecuted()));
      assertTrue(counters.duplicateRequests() > 0, "the links lost nothing, choose another seed");
    }
  }

  @Test
  void shouldCountAtomicWritesAsWritesAtBothEnds() {
    try (Pair pair = new Pair(1, LinkFaults.NONE, Pair.QpShape.DEFAULT, RIGHTS)) {
      CompletionCounter near = pair.a.hca.createCounter();
      CompletionCounter far = pair.b.hca.createCounter();
      CompletionCounter reads = pair.b.hca.createCounter();
      pair.a.hca.attachCounter(pair.a.qp, near, java.util.EnumSet.of(CompletionCounter.Operation.RDMA_WRITE));
      pair.b.hca.attachCounter(pair.b.qp, far, java.util.EnumSet.of(CompletionCounter.Operation.REMOTE_RDMA_WRITE));
      pair.b.hca.attachCounter(pair.b.qp, reads, java.util.EnumSet.of(CompletionCounter.Operation.REMOTE_RDMA_READ));
      pair.connect(1, 1, init -> init.accessFlags(RIGHTS), SAME, SAME);
      pair.a.send(pair.a.wr.atomicWrite(pair.b.mr.addr(), pair.b.mr.rkey()).sge(pair.a.mr, 0, 8));
      pair.a.send(pair.a.wr.flush(pair.b.mr.addr(), pair.b.mr.rkey(), 16, FlushType.GLOBAL, FlushLevel.RANGE));
      pair.run();
      assertEquals(List.of(1L, 1L, 0L), List.of(near.count(), far.count(), reads.count()));
    }
  }

  @Test
  void shouldNotTakeAPlainAcknowledgementForTheAnswer() {
    try (Pair pair = connected()) {
      pair.fabric.link("b").setPartitioned(true);
      pair.a.send(pair.a.wr.flush(pair.b.mr.addr(), pair.b.mr.rkey(), 16, FlushType.GLOBAL, FlushLevel.RANGE).signaled());
      pair.fabric.system().runFor(100_000);
      pair.forge(pair.b, pair.a, Opcode.RC_ACKNOWLEDGE, 1, 0x1f, Payload.EMPTY);
      pair.fabric.system().runFor(100_000);
      assertEquals(0, pair.a.sendCq.size());
      pair.fabric.link("b").setPartitioned(false);
      pair.run();
      assertTrue(pair.a.oneSent().isSuccess());
      assertEquals(0, pair.b.memory.get(ValueLayout.JAVA_LONG, 0));
    }
  }
}
