package dev.weft.hca.memory;

import static dev.weft.hca.verbs.Refusal.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MemoryWindow.Type;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.Pair;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory windows and invalidation; also the MW cases of rdma-core's tests/test_mr.py, see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
class MemoryWindowTest {
  private static final int BINDABLE = Access.LOCAL_WRITE | Access.MW_BIND;

  /** b has a region without remote rights, and a window of some type. */
  private static final class Bed implements AutoCloseable {
    final Pair pair;
    final MemoryRegion region;
    final MemoryWindow window;

    Bed(Type type) {
      this(type, new Pair().connect(attr -> {}), BINDABLE);
    }

    Bed(Type type, Pair pair, int access) {
      this.pair = pair;
      region = pair.b.hca.regMr(pair.b.pd, pair.b.memory, 0x5000, access);
      window = pair.b.hca.allocMw(pair.b.pd, type);
    }

    /** Binds, and answers the status that the request had. */
    WcStatus bind(long addr, long length, int access) {
      return bind(window, region, addr, length, access);
    }

    WcStatus bind(MemoryWindow mw, MemoryRegion mr, long addr, long length, int access) {
      if (mw.type() == Type.TYPE_1) {
        pair.b.hca.bindMw(pair.b.qp, new MwBind(mw, 0, mr, addr, length, access), 50, SendFlags.SIGNALED);
      } else {
        pair.b.send(pair.b.wr.bindMw(new MwBind(mw, mw.nextRkey(), mr, addr, length, access)).wrId(50).signaled());
      }
      return ended();
    }

    private WcStatus ended() {
      pair.run();
      return pair.b.oneSent().status();
    }

    WcStatus invalidateLocally(int key) {
      pair.b.send(pair.b.wr.localInvalidate(key).signaled());
      return ended();
    }

    /** The status of a's write through {@code key}. */
    WcStatus write(long addr, int key, int length) {
      pair.a.send(pair.a.wr.write(addr, key).sge(pair.a.mr, 0, length).signaled());
      pair.run();
      return pair.a.oneSent().status();
    }

    WcStatus read(long addr, int key) {
      pair.a.send(pair.a.wr.read(addr, key).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      return pair.a.oneSent().status();
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  /** tests/test_mr.py, MWRC and MWTest; tests/test_qpex.py. */
  @Nested
  class RdmaCoreMw {
    @Test
    void testMwType1() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        bed.pair.a.fill(3);
        int key = bed.pair.b.hca.bindMw(bed.pair.b.qp,
            new MwBind(bed.window, 0, bed.region, 0x5000, 4096, Access.REMOTE_WRITE), 9, SendFlags.SIGNALED);
        bed.pair.run();
        WorkCompletion wc = bed.pair.b.oneSent();
        assertEquals(WcOpcode.BIND_MW, wc.opcode());
        assertEquals(9, wc.wrId());
        assertEquals(key, bed.window.rkey());
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, key, 4096));
        bed.pair.assertSame(0, 0, 4096);
      }
    }

    @Test
    void testInvalidateMwType1() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        int key = bed.window.rkey();
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, key, 64));
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 0, 0));
        assertFalse(bed.window.isBound());
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, key, 64));
      }
    }

    @Test
    void testMwType2() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.a.fill(5);
        int key = bed.window.nextRkey();
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        assertEquals(key, bed.window.rkey());
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000 + 96, key, 4000));
        bed.pair.assertSame(0, 96, 4000);
      }
    }

    @Test
    void testMwType2InvalidateLocal() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        int key = bed.window.rkey();
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, key, 64));
        assertEquals(WcStatus.SUCCESS, bed.invalidateLocally(key));
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, key, 64));
      }
    }

    @ParameterizedTest
    @CsvSource({"0", "64", "5000"})
    void testMwType2InvalidateRemote(int length) {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        int key = bed.window.rkey();
        bed.pair.b.post(3, 500_000, 8192);
        bed.pair.a.fill(6).send(bed.pair.a.wr.sendWithInvalidate(key).sge(bed.pair.a.mr, 0, length).signaled());
        bed.pair.run();
        assertEquals(WcStatus.SUCCESS, bed.pair.a.oneSent().status());
        WorkCompletion wc = bed.pair.b.oneReceived();
        assertTrue(wc.hasInvalidatedRkey());
        assertFalse(wc.hasImm());
        assertEquals(key, wc.invalidatedRkey());
        assertEquals(length, wc.byteLen());
        bed.pair.assertSame(0, 500_000, length);
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, key, 64));
      }
    }

    @Test
    void testMwType2InvalidateDealloc() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        int key = bed.window.rkey();
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, key, 64));
        bed.pair.b.hca.deallocMw(bed.window);
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, key, 64));
      }
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldBeFreeWhenAllocated(Type type) {
      try (Bed bed = new Bed(type)) {
        assertEquals(type, bed.window.type());
        assertFalse(bed.window.isBound());
        assertEquals(2, bed.pair.b.hca.inspect().memoryRegions().size(), "a window is no region");
      }
    }

    @Test
    void testRegMwWrongType() {
      try (Bed one = new Bed(Type.TYPE_1); Bed two = new Bed(Type.TYPE_2)) {
        MwBind first = new MwBind(one.window, 1, one.region, 0x5000, 8, Access.REMOTE_READ);
        refused(Errno.EINVAL, () -> one.pair.b.send(one.pair.b.wr.bindMw(first)));
        MwBind second = new MwBind(two.window, 1, two.region, 0x5000, 8, Access.REMOTE_READ);
        refused(Errno.EINVAL, () -> two.pair.b.hca.bindMw(two.pair.b.qp, second, 0, 0));
      }
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldBeDeallocatedOnce(Type type) {
      try (Bed bed = new Bed(type)) {
        bed.pair.b.hca.deallocMw(bed.window);
        refused(Errno.EINVAL, () -> bed.pair.b.hca.deallocMw(bed.window));
      }
    }

    @Test
    void testQpExRcBindMw() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.a.fill(7);
        // One posting after the other, without waiting: the key is told to the peer by the send behind the binding.
        int key = bed.window.nextRkey();
        bed.pair.b.send(bed.pair.b.wr.bindMw(new MwBind(bed.window, key, bed.region, 0x5000, 64, Access.REMOTE_WRITE)).signaled());
        bed.pair.a.post(1, 900_000, 64);
        bed.pair.b.word(0, key);
        bed.pair.b.send(bed.pair.b.wr.send().sge(bed.pair.b.mr, 0, 8).signaled());
        bed.pair.runUntil(() -> bed.pair.a.recvCq.size() == 1);
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, (int) bed.pair.a.word(900_000), 64));
        assertEquals(2, bed.pair.b.sent().size());
      }
    }
  }

  /** What a window gives, and to whom. */
  @Nested
  class Rights {
    @Test
    void shouldGrantNothingThroughTheRegionItself() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, bed.region.rkey(), 8));
      }
    }

    @ParameterizedTest
    @CsvSource({"20480,8,SUCCESS", "24568,8,SUCCESS", "24569,8,REM_ACCESS_ERR", "20479,8,REM_ACCESS_ERR", "24576,1,REM_ACCESS_ERR"})
    void shouldGrantOnlyItsPart(long addr, int length, WcStatus expected) {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        assertEquals(expected, bed.write(addr, bed.window.rkey(), length));
      }
    }

    @Test
    void shouldGrantOnlyTheRightsThatItWasBoundWith() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_READ | Access.REMOTE_ATOMIC));
        int key = bed.window.rkey();
        assertEquals(WcStatus.SUCCESS, bed.read(0x5000, key));
        bed.pair.a.send(bed.pair.a.wr.fetchAndAdd(0x5008, key, 5).sge(bed.pair.a.mr, 0, 8).signaled());
        bed.pair.run();
        assertEquals(WcStatus.SUCCESS, bed.pair.a.oneSent().status());
        assertEquals(5, bed.pair.b.word(8));
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000, key, 8));
      }
    }

    @Test
    void shouldStartAtZeroWhenZeroBased() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.a.fill(2);
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000 + 100, 50, Access.REMOTE_WRITE | Access.ZERO_BASED));
        assertEquals(WcStatus.SUCCESS, bed.write(10, bed.window.rkey(), 40));
        bed.pair.assertSame(0, 110, 40);
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(11, bed.window.rkey(), 40));
      }
    }

    @ParameterizedTest
    @CsvSource({"TYPE_1,SUCCESS", "TYPE_2,REM_ACCESS_ERR"})
    void shouldServeOnlyTheQueuePairThatBoundATypeTwoWindow(Type type, WcStatus expected) {
      try (Bed bed = new Bed(type)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        QueuePair from = bed.pair.a.hca.createQp(bed.pair.a.pd, QpInitAttr.of(bed.pair.a.sendCq, 8));
        QueuePair to = bed.pair.b.hca.createQp(bed.pair.b.pd, QpInitAttr.of(bed.pair.b.sendCq, 8));
        for (QueuePair qp : List.of(from, to)) {
          qp.modify(QpAttr.init(Access.ALL));
          qp.modify(QpAttr.rtr().destLid(qp == from ? bed.pair.b.hca.lid() : bed.pair.a.hca.lid())
              .destQpNum((qp == from ? to : from).qpNum()).rqPsn(1).pathMtu(1024));
          qp.modify(QpAttr.rts(1));
        }
        from.postSend(bed.pair.a.wr.write(0x5000, bed.window.rkey()).sge(bed.pair.a.mr, 0, 8).signaled());
        bed.pair.run();
        assertEquals(expected, bed.pair.a.oneSent().status());
      }
    }

    @Test
    void shouldNotBeALocalKey() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 4096, Access.REMOTE_WRITE));
        bed.pair.b.send(bed.pair.b.wr.write(bed.pair.a.mr.addr(), bed.pair.a.mr.rkey()).sge(0x5000, 8, bed.window.rkey()).signaled());
        assertEquals(WcStatus.LOC_PROT_ERR, bed.ended());
      }
    }
  }

  /** MW_BIND_ERR: what the specification forbids when a request is executed. */
  @Nested
  class Refused {
    @ParameterizedTest
    @CsvSource({
      "0, 0x5000, 8, REMOTE_READ, no MW_BIND",
      "16, 0x5000, 8, REMOTE_WRITE, no LOCAL_WRITE for writes",
      "16, 0x5000, 8, REMOTE_ATOMIC, no LOCAL_WRITE for atomics",
      "49, 0x0, 8, REMOTE_READ, a region that is zero-based",
      "17, 0x4fff, 8, REMOTE_READ, before the region",
      "17, 0x104ff9, 8, REMOTE_READ, behind the region",
      "17, 0x5000, -8, REMOTE_READ, a negative length",
      "17, 0x5000, 8, LOCAL_WRITE, a local right"
    })
    void shouldReportMwBindErr(int access, String addr, long length, String right, String what) {
      int wanted = Stream.of("LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC").toList().indexOf(right);
      for (Type type : Type.values()) {
        try (Bed bed = new Bed(type, Pair.connected(), access)) {
          assertEquals(WcStatus.MW_BIND_ERR, bed.bind(Long.decode(addr), length, 1 << wanted), what);
          assertEquals(QpState.ERR, bed.pair.b.qp.state());
          assertFalse(bed.window.isBound());
          bed.pair.b.hca.deregMr(bed.region);
        }
      }
    }

    @Test
    void shouldReportMwBindErrForABoundTypeTwoWindow() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_READ));
        int key = bed.window.rkey();
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(0x5000, 8, Access.REMOTE_READ));
        assertEquals(key, bed.window.rkey());
        assertTrue(bed.window.isBound());
      }
    }

    @Test
    void shouldReportMwBindErrForATypeTwoWindowOfNoLength() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(0x5000, 0, Access.REMOTE_READ));
      }
    }

    @Test
    void shouldReportMwBindErrForAKeyThatIsNotTheWindows() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.b.send(bed.pair.b.wr.bindMw(
            new MwBind(bed.window, bed.window.rkey() ^ 0x100, bed.region, 0x5000, 8, Access.REMOTE_READ)).signaled());
        assertEquals(WcStatus.MW_BIND_ERR, bed.ended());
      }
    }

    @Test
    void shouldReportMwBindErrForAZeroBasedTypeOneWindow() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(0x5000, 8, Access.REMOTE_READ | Access.ZERO_BASED));
      }
    }

    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldReportMwBindErrForAnotherDomainOrAWindowOrRegionThatIsGone(Type type) {
      try (Bed bed = new Bed(type)) {
        ProtectionDomain other = bed.pair.b.hca.allocPd();
        MemoryRegion foreign = bed.pair.b.hca.regMr(other, bed.pair.b.memory, 0x5000, BINDABLE);
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(bed.window, foreign, 0x5000, 8, Access.REMOTE_READ));
        bed.pair.reconnect();
        MemoryWindow stranger = bed.pair.b.hca.allocMw(other, type);
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(stranger, bed.region, 0x5000, 8, Access.REMOTE_READ));
        bed.pair.reconnect();
        bed.pair.b.hca.deallocMw(bed.window);
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(bed.window, bed.region, 0x5000, 8, Access.REMOTE_READ));
        bed.pair.reconnect();
        bed.pair.b.hca.deregMr(bed.region);
        MemoryWindow fresh = bed.pair.b.hca.allocMw(bed.pair.b.pd, type);
        assertEquals(WcStatus.MW_BIND_ERR, bed.bind(fresh, bed.region, 0x5000, 8, Access.REMOTE_READ));
      }
    }

    @Test
    void shouldReportMwBindErrForALocalInvalidationOfATypeOneWindowOrOfARegionWithWindows() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_READ));
        assertEquals(WcStatus.MW_BIND_ERR, bed.invalidateLocally(bed.window.rkey()));
        assertTrue(bed.window.isBound());
        bed.pair.reconnect();
        assertEquals(WcStatus.MW_BIND_ERR, bed.invalidateLocally(bed.region.lkey()));
        assertTrue(bed.region.isValid());
      }
    }

    @ParameterizedTest
    @CsvSource({"a region", "a type 1 window", "an unknown key", "a window of another queue pair", "a key invalidated before"})
    void shouldReportRemAccessErrWhenThePeerMayNotInvalidate(String what) {
      Type type = what.contains("type 1") ? Type.TYPE_1 : Type.TYPE_2;
      try (Bed bed = new Bed(type)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_READ));
        int key = switch (what) {
          case "a region" -> bed.region.rkey();
          case "an unknown key" -> bed.region.rkey() ^ 0x40;
          default -> bed.window.rkey();
        };
        if (what.contains("before")) {
          assertEquals(WcStatus.SUCCESS, bed.invalidateLocally(key));
        }
        if (what.contains("another")) {
          ((Mw) bed.window).queuePair = bed.pair.b.hca.createQp(bed.pair.b.pd, QpInitAttr.of(bed.pair.b.sendCq, 8));
        }
        bed.pair.b.post(3, 0, 64);
        bed.pair.a.send(bed.pair.a.wr.sendWithInvalidate(key).sge(bed.pair.a.mr, 0, 8).signaled());
        bed.pair.run();
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.pair.a.oneSent().status());
        WorkCompletion wc = bed.pair.b.oneReceived();
        assertEquals(WcStatus.REM_INV_REQ_ERR, wc.status());
        assertEquals(3, wc.wrId());
        assertEquals(QpState.ERR, bed.pair.b.qp.state());
        assertTrue(bed.region.isValid());
        assertEquals(!what.contains("before"), bed.window.isBound());
      }
    }
  }

  /** How windows and regions depend on each other. */
  @Nested
  class Life {
    @ParameterizedTest
    @EnumSource(Type.class)
    void shouldKeepARegionRegisteredWhileAWindowIsBound(Type type) {
      try (Bed bed = new Bed(type)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_READ));
        refused(Errno.EBUSY, () -> bed.pair.b.hca.deregMr(bed.region));
        bed.pair.b.hca.deallocMw(bed.window);
        bed.pair.b.hca.deregMr(bed.region);
      }
    }

    @Test
    void shouldTakeTheFormerKeyBackWhenATypeOneWindowIsBoundAgain() {
      try (Bed bed = new Bed(Type.TYPE_1)) {
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 20; i++) {
          assertEquals(WcStatus.SUCCESS, bed.bind(0x5000 + i * 8, 8, Access.REMOTE_WRITE));
          assertTrue(keys.add(bed.window.rkey()), "a new key");
        }
        int former = bed.window.rkey();
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000 + 19 * 8, former, 8));
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_WRITE));
        assertEquals(WcStatus.SUCCESS, bed.write(0x5000, bed.window.rkey(), 8));
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(0x5000 + 19 * 8, former, 8));
      }
    }

    @Test
    void shouldBindATypeTwoWindowAgainUnderTheNextKeyOnceItIsInvalid() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 300; i++) {
          assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_WRITE));
          keys.add(bed.window.rkey());
          assertEquals(WcStatus.SUCCESS, bed.invalidateLocally(bed.window.rkey()));
        }
        assertEquals(256, keys.size());
        assertEquals(1, keys.stream().map(key -> key >>> 8).distinct().count());
      }
    }

    @Test
    void shouldFreeATypeTwoWindowWhenItsQueuePairIsDestroyed() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_WRITE));
        bed.pair.b.hca.destroyQp(bed.pair.b.qp);
        assertFalse(bed.window.isBound());
        bed.pair.b.hca.deregMr(bed.region);
      }
    }

    @Test
    void shouldHoldItsDomainAndCountAgainstTheDevice() {
      try (Pair pair = Pair.with("weft.hca.memory-regions-max = 2")) {
        ProtectionDomain pd = pair.a.hca.allocPd();
        MemoryWindow window = pair.a.hca.allocMw(pd, Type.TYPE_2);
        refused(Errno.ENOMEM, () -> pair.a.hca.allocMw(pd, Type.TYPE_1));
        refused(Errno.EBUSY, () -> pair.a.hca.deallocPd(pd));
        pair.a.hca.deallocMw(window);
        pair.a.hca.deallocPd(pd);
        refused(Errno.EINVAL, () -> pair.a.hca.allocMw(pd, Type.TYPE_1));
        refused(Errno.EINVAL, () -> pair.a.hca.allocMw(pair.b.pd, Type.TYPE_1));
      }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportRemAccessErrWhenTheWindowGoesDuringAWriteOrRead(boolean write) {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 400_000, Access.REMOTE_WRITE | Access.REMOTE_READ));
        WorkRequest wr = bed.pair.a.wr;
        bed.pair.a.send((write ? wr.write(0x5000, bed.window.rkey()) : wr.read(0x5000, bed.window.rkey()))
            .sge(bed.pair.a.mr, 0, 400_000).signaled());
        bed.pair.runUntil(() -> (write ? bed.pair.b : bed.pair.a).counters().packetsReceived() > 50);
        if (write) {
          bed.pair.b.send(bed.pair.b.wr.localInvalidate(bed.window.rkey()).signaled());
        } else {
          bed.pair.b.hca.deallocMw(bed.window); // A request of the same queue pair waits until its answers have left.
        }
        bed.pair.run();
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.pair.a.oneSent().status());
        assertEquals(write ? List.of(WcStatus.SUCCESS) : List.of(),
            bed.pair.b.sent().stream().map(WorkCompletion::status).toList(), "of the invalidation");
      }
    }

    @Test
    void shouldReportRemAccessErrWhenTheArenaUnderAWindowIsClosed() {
      Arena arena = Arena.ofShared();
      try (Bed bed = new Bed(Type.TYPE_2)) {
        MemoryRegion mr = bed.pair.b.hca.regMr(bed.pair.b.pd, arena.allocate(64), BINDABLE);
        assertEquals(WcStatus.SUCCESS, bed.bind(bed.window, mr, mr.addr(), 64, Access.REMOTE_WRITE));
        arena.close();
        assertEquals(WcStatus.REM_ACCESS_ERR, bed.write(mr.addr(), bed.window.rkey(), 64));
        bed.pair.b.hca.deallocMw(bed.window);
        bed.pair.b.hca.deregMr(mr);
      }
    }
  }

  /** When a binding or an invalidation takes place. */
  @Nested
  class Order {
    @Test
    void shouldWaitForEverythingBeforeIt() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.b.send(bed.pair.b.wr.read(bed.pair.a.mr.addr(), bed.pair.a.mr.rkey()).sge(bed.region, 0, 40_000).wrId(1).signaled());
        bed.pair.b.send(bed.pair.b.wr.bindMw(
            new MwBind(bed.window, bed.window.nextRkey(), bed.region, 0x5000, 8, Access.REMOTE_READ)).fence().wrId(2).signaled());
        bed.pair.b.send(bed.pair.b.wr.localInvalidate(bed.window.nextRkey()).fence().wrId(3).signaled());
        bed.pair.b.send(bed.pair.b.wr.write(bed.pair.a.mr.addr(), bed.pair.a.mr.rkey()).sge(bed.region, 0, 8).wrId(4).signaled());
        bed.pair.runUntil(() -> bed.pair.b.counters().packetsReceived() > 10);
        assertFalse(bed.window.isBound(), "the read is still under way");
        bed.pair.run();
        List<WorkCompletion> all = bed.pair.b.sent();
        assertEquals(List.of(1L, 2L, 3L, 4L), all.stream().map(WorkCompletion::wrId).toList());
        assertTrue(all.stream().allMatch(WorkCompletion::isSuccess), all::toString);
        assertFalse(bed.window.isBound());
      }
    }

    @Test
    void shouldInvalidateOnceHoweverOftenTheSendArrives() {
      for (long seed = 1; seed <= 10; seed++) {
        Pair lossy = Pair.connected(seed, LinkFaults.NONE);
        try (Bed bed = new Bed(Type.TYPE_2, lossy, BINDABLE)) {
          assertEquals(WcStatus.SUCCESS, bed.bind(0x5000, 8, Access.REMOTE_WRITE));
          int key = bed.window.rkey();
          lossy.b.post(1, 0, 64);
          lossy.fabric.link("a").setPartitioned(false, true); // The acknowledgement is lost, so the send comes again.
          lossy.a.send(lossy.a.wr.sendWithInvalidate(key).sge(lossy.a.mr, 0, 8).signaled());
          lossy.runUntil(() -> lossy.b.counters().duplicateRequests() > 0);
          assertEquals(key, lossy.b.oneReceived().invalidatedRkey());
          lossy.b.send(lossy.b.wr.bindMw(new MwBind(bed.window, key, bed.region, 0x5000, 8, Access.REMOTE_WRITE)).signaled());
          lossy.runUntil(bed.window::isBound);
          lossy.fabric.link("a").setPartitioned(false);
          lossy.run();
          assertTrue(bed.window.isBound(), "bound under the same key again, and the repeated send is not executed");
          assertEquals(WcStatus.SUCCESS, lossy.a.oneSent().status());
        }
      }
    }

    @Test
    void shouldFlushWhatIsBehindAnError() {
      try (Bed bed = new Bed(Type.TYPE_2)) {
        bed.pair.b.send(bed.pair.b.wr.localInvalidate(1).wrId(1));
        bed.pair.b.send(bed.pair.b.wr.bindMw(
            new MwBind(bed.window, bed.window.nextRkey(), bed.region, 0x5000, 8, Access.REMOTE_READ)).wrId(2));
        bed.pair.run();
        assertEquals(List.of(WcStatus.MW_BIND_ERR, WcStatus.WR_FLUSH_ERR),
            bed.pair.b.sent().stream().map(WorkCompletion::status).toList());
        assertFalse(bed.window.isBound());
        assertNotEquals(bed.window.nextRkey(), bed.window.rkey());
      }
    }
  }
}
