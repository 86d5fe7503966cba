package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.memory.Dm;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device memory in rdma-core's tests/test_device.py and tests/test_mr.py; see docs/reference/rdma-core-tests.md. */
@Tag("simulation")
@Timeout(180)
class RdmaCoreDeviceMemoryTest {
  private static final long MAX = 1 << 20;
  private static final int ACCESS = Access.ALL | Access.ZERO_BASED;

  private final Pair pair = Pair.with("weft.hca.device-memory-max = 1 MiB").connect(attr -> {});
  private final Hca hca = pair.b.hca;

  @AfterEach
  void close() {
    pair.close();
  }

  private static void refused(Errno errno, org.junit.jupiter.api.function.Executable verb) {
    RegionTraffic.refused(errno, verb);
  }

  private static MemorySegment pattern(int length, int salt) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
    RegionTraffic.fill(bytes, length, salt);
    return bytes;
  }

  private static MemorySegment read(DeviceMemory dm, long offset, int length) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[length]);
    dm.copyFrom(offset, bytes);
    return bytes;
  }

  private MemoryRegion register(DeviceMemory dm, long offset, long length) {
    return hca.regMr(pair.b.pd, new MrInitAttr().deviceMemory(dm).range(offset, length).access(ACCESS));
  }

  /** tests/test_device.py */
  @Nested
  class Dm {
    @ParameterizedTest
    @ValueSource(longs = {1, 4, 100, MAX / 2, MAX})
    void testCreateDm(long length) {
      DeviceMemory dm = hca.allocDm(length);
      assertEquals(length, dm.length());
      assertEquals(MAX, hca.device().query().maxDeviceMemoryBytes());
      assertEquals(0, read(dm, 0, 0).byteSize());
    }

    /** Threads instead of processes, in real time: all that fits is given, and no more. */
    @Test
    void testMultiProcessAllocDm() throws InterruptedException {
      int threads = 5;
      int size = 1000;
      try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.device-memory-max = " + 7 * threads * size))) {
        Hca real = fabric.addNode("shared").hca();
        List<DeviceMemory> given = Collections.synchronizedList(new ArrayList<>());
        AtomicInteger refused = new AtomicInteger();
        List<Thread> all = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          int salt = t;
          all.add(Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 10; i++) {
              try {
                DeviceMemory dm = real.allocDm(size);
                dm.copyTo(0, pattern(size, salt));
                RegionTraffic.assertFilled(read(dm, 0, size), size, salt);
                given.add(dm);
              } catch (VerbsException full) {
                refused.addAndGet(full.errno() == Errno.ENOMEM ? 1 : 1000);
              }
            }
          }));
        }
        for (Thread thread : all) {
          thread.join();
        }
        assertEquals(List.of(7 * threads, 3 * threads), List.of(given.size(), refused.get()));
        given.forEach(real::freeDm);
        assertEquals(7L * threads * size, real.allocDm(7L * threads * size).length());
      }
    }

    @Test
    void testDestroyDm() {
      for (int i = 0; i < 3; i++) {
        DeviceMemory dm = hca.allocDm(MAX);
        hca.freeDm(dm);
        refused(Errno.EINVAL, () -> dm.copyTo(0, pattern(4, 0)));
      }
    }

    @Test
    void testCreateDmBadFlow() {
      refused(Errno.ENOMEM, () -> hca.allocDm(MAX + 1));
      refused(Errno.EINVAL, () -> hca.allocDm(0));
      refused(Errno.EINVAL, () -> hca.allocDm(-1));
      hca.allocDm(MAX - 3);
      refused(Errno.ENOMEM, () -> hca.allocDm(4));
      try (Pair none = Pair.with("weft.hca.device-memory-max = 0")) {
        refused(Errno.EOPNOTSUPP, () -> none.a.hca.allocDm(4));
      }
    }

    /** pyverbs ignores the second call, ours refuses it. */
    @Test
    void testDestroyDmBadFlow() {
      DeviceMemory dm = hca.allocDm(64);
      hca.freeDm(dm);
      refused(Errno.EINVAL, () -> hca.freeDm(dm));
      refused(Errno.EINVAL, () -> pair.a.hca.freeDm(hca.allocDm(64)));
      assertEquals(MAX - 64, hca.allocDm(MAX - 64).length());
    }

    @Test
    void testDmWrite() {
      DeviceMemory dm = hca.allocDm(64);
      dm.copyTo(8, pattern(48, 1));
      assertEquals(0, read(dm, 0, 8).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      assertEquals(0, read(dm, 56, 8).get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
      RegionTraffic.assertFilled(read(dm, 8, 48), 48, 1);
    }

    @ParameterizedTest
    @CsvSource({"1,4", "2,4", "3,4", "0,3", "4,6", "64,4", "-4,4", "0,68"})
    void testDmWriteBadFlow(long offset, int length) {
      DeviceMemory dm = hca.allocDm(64);
      dm.copyTo(0, pattern(64, 5));
      refused(Errno.EINVAL, () -> dm.copyTo(offset, pattern(length, 1)));
      RegionTraffic.assertFilled(read(dm, 0, 64), 64, 5);
    }

    @ParameterizedTest
    @CsvSource({"0,64", "4,8", "60,4"})
    void testDmRead(int offset, int length) {
      DeviceMemory dm = hca.allocDm(64);
      MemorySegment bytes = pattern(64, 5);
      dm.copyTo(0, bytes);
      assertEquals(-1, read(dm, offset, length).mismatch(bytes.asSlice(offset, length)));
    }
  }

  /** tests/test_mr.py */
  @Nested
  class DmMr {
    @ParameterizedTest
    @CsvSource({"4,4", "262144,26212", "262144,131072", "262144,262144", "524288,52428", "524288,524288"})
    void testCreateDmMr(long dmLength, long length) {
      DeviceMemory dm = hca.allocDm(dmLength);
      MemoryRegion mr = register(dm, dmLength - length, length);
      assertEquals(List.of(0L, length, false), List.of(mr.addr(), mr.length(), mr.isPinned()));
      refused(Errno.EBUSY, () -> hca.freeDm(dm));
      hca.deregMr(mr);
      hca.freeDm(dm);
    }

    @ParameterizedTest
    @CsvSource({"3,4", "4,3", "104,4", "0,104"})
    void testDmBadAccess(long offset, int length) {
      DeviceMemory dm = hca.allocDm(100);
      register(dm, 0, 100);
      refused(Errno.EINVAL, () -> read(dm, offset, length));
      refused(Errno.EINVAL, () -> dm.copyTo(offset, pattern(length, 1)));
    }

    @Test
    void testDmBadRegistration() {
      DeviceMemory dm = hca.allocDm(100);
      refused(Errno.EINVAL, () -> register(dm, 0, 104));
      refused(Errno.EINVAL, () -> register(dm, 4, 100));
      refused(Errno.EINVAL, () -> register(dm, 2, 4));
      refused(Errno.EINVAL, () -> hca.regMr(pair.b.pd, new MrInitAttr().deviceMemory(dm).access(Access.ALL)));
      refused(Errno.EINVAL, () -> pair.a.hca.regMr(pair.a.pd, new MrInitAttr().deviceMemory(dm).access(ACCESS)));
      hca.freeDm(dm);
      refused(Errno.EINVAL, () -> register(dm, 0, 100));
    }

    @Test
    void shouldKeepARegionOnDeviceMemoryWhereItIs() {
      MemoryRegion mr = register(hca.allocDm(100), 0, 100);
      refused(Errno.EINVAL, () -> hca.reregMr(mr, Rereg.TRANSLATION, null, pair.b.memory, 0, 0));
      refused(Errno.EINVAL, () -> hca.reregMr(mr, Rereg.ACCESS, null, null, 0, Access.ALL));
      assertEquals(mr, hca.reregMr(mr, Rereg.ACCESS, null, null, 0, Access.ZERO_BASED));
    }
  }

  /** Traffic of tests/test_mr.py. */
  @Nested
  class Traffic {
    private final DeviceMemory dm = hca.allocDm(8192);
    private final MemoryRegion mr = register(dm, 0, 8192);

    private void check(int length, int salt) {
      RegionTraffic.assertFilled(read(dm, 0, length), length, salt);
    }

    /** Both ends' bytes are in device memory. */
    @ParameterizedTest
    @ValueSource(ints = {4, 1024, 5000})
    void testDmTraffic(int length) {
      DeviceMemory near = pair.a.hca.allocDm(8192);
      MemoryRegion nearMr = pair.a.hca.regMr(pair.a.pd, new MrInitAttr().deviceMemory(near).access(ACCESS));
      for (int i = 0; i < RegionTraffic.ITERATIONS; i++) {
        near.copyTo(0, pattern(length, i));
        pair.b.qp.postReceive(pair.b.rr.receive(i).sge(mr, 0, length));
        pair.a.send(pair.a.wr.send().sge(nearMr, 0, length).signaled());
        pair.run();
        assertTrue(pair.a.oneSent().isSuccess());
        assertEquals(length, pair.b.oneReceived().byteLen());
        check(length, i);
      }
    }

    @Test
    void testDmRemoteTraffic() {
      RegionTraffic.run(pair, WrOpcode.RDMA_WRITE, pair.a.mr, mr, 1024);
      check(1024, RegionTraffic.ITERATIONS - 1);
      pair.a.send(pair.a.wr.write(0, mr.rkey()).sge(pair.a.mr, 0, 8193).signaled());
      pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
      check(1024, RegionTraffic.ITERATIONS - 1);
    }

    @Test
    void testDmRemoteWriteTrafficImm() {
      RegionTraffic.run(pair, WrOpcode.RDMA_WRITE_WITH_IMM, pair.a.mr, mr, 4096);
      check(4096, RegionTraffic.ITERATIONS - 1);
    }

    @Test
    void testDmRemoteReadTraffic() {
      for (int i = 0; i < RegionTraffic.ITERATIONS; i++) {
        dm.copyTo(0, pattern(5000, i));
        pair.a.send(pair.a.wr.read(0, mr.rkey()).sge(pair.a.mr, 1, 5000).signaled());
        pair.run();
        assertEquals(5000, pair.a.oneSent().byteLen());
        RegionTraffic.assertFilled(pair.a.memory.asSlice(1), 5000, i);
      }
    }

    private long word(long offset) {
      return read(dm, offset, 8).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    @Test
    void testDmAtomicFetchAdd() {
      for (int i = 0; i < 10; i++) {
        pair.a.send(pair.a.wr.fetchAndAdd(16, mr.rkey(), 3).sge(pair.a.mr, 0, 8).signaled());
        pair.run();
        assertEquals(WcOpcode.FETCH_ADD, pair.a.oneSent().opcode());
        assertEquals(List.of(3L * i, 3L * (i + 1)), List.of(pair.a.word(0), word(16)));
      }
    }

    @Test
    void testDmAtomicCmpSwp() {
      for (int i = 0; i < 10; i++) {
        pair.a.send(pair.a.wr.compareAndSwap(8, mr.rkey(), i % 2 == 0 ? word(8) : -1, 100 + i).sge(pair.a.mr, 0, 8).signaled());
        long before = word(8);
        pair.run();
        assertEquals(WcOpcode.COMP_SWAP, pair.a.oneSent().opcode());
        assertEquals(List.of(before, i % 2 == 0 ? 100L + i : before), List.of(pair.a.word(0), word(8)));
      }
    }

    @Test
    void shouldServeOnlyTheDomainItWasRegisteredIn() {
      ProtectionDomain other = hca.allocPd();
      MemoryRegion foreign = hca.regMr(other, new MrInitAttr().deviceMemory(dm).access(ACCESS));
      pair.a.send(pair.a.wr.write(0, foreign.rkey()).sge(pair.a.mr, 0, 8).signaled());
      pair.run();
      assertEquals(WcStatus.REM_ACCESS_ERR, pair.a.oneSent().status());
    }
  }
}
