package dev.weft.fabric.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.fabric.time.VirtualSystem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("simulation")
class SimulatedLinkTest {
  private static final int LANES = 3;
  private static final long MAX_EVENTS = 20_000_000;

  /** Two end ports with one cable between them. */
  private static final class Bench implements AutoCloseable {
    final VirtualSystem system;
    final EndPort a;
    final EndPort b;
    final SimulatedLink link;

    Bench(long seed, LinkProfile profile, LinkFaults faults, int capacity, long consumeNs) {
      system = VirtualSystem.create(seed);
      a = new EndPort(system.context(), 1, LANES, capacity, consumeNs);
      b = new EndPort(system.context(), 2, LANES, capacity, consumeNs);
      link = new SimulatedLink(system.context(), profile, faults, LANES, system.faultRandom());
      link.connect(system.spawn(a.behavior(), "a"), system.spawn(b.behavior(), "b"));
      a.connect(link.fromA());
      b.connect(link.fromB());
      a.announce();
      b.announce();
      system.runUntilIdle(MAX_EVENTS);
    }

    void trafficBothWays(int count, SplittableRandom random) {
      for (int i = 0; i < count; i++) {
        (random.nextBoolean() ? a : b).submit(random.nextBoolean() ? 1 : 2, random.nextInt(16), random.nextInt(64));
      }
    }

    @Override
    public void close() {
      system.close();
    }
  }

  private static void assertCreditsConserved(String where, EndPort sender, EndPort receiver, int capacity, int reserve) {
    for (int lane = 0; lane < LANES; lane++) {
      int books = capacity - receiver.occupied[lane] - receiver.unreturned[lane];
      int missing = books - sender.credits[lane];
      assertTrue(missing >= 0 && missing <= reserve,
          where + " lane " + lane + ": receiver's books say " + books + ", sender holds " + sender.credits[lane]);
    }
  }

  @Test
  void shouldDelayPacketsByLatencyAndSendThemOneAfterAnother() {
    // 1000 ns latency, 8 Gbit/s: one byte a nanosecond. An empty SEND_ONLY is 26 bytes on the wire, 74 more are payload.
    try (Bench bench = new Bench(1, new LinkProfile(1000, 8_000_000_000L), LinkFaults.NONE, 64, 0)) {
      long startNs = bench.system.nowNs();
      bench.a.submit(2, 0, 72);
      bench.a.submit(2, 0, 72);
      int wireLength = 8 + 12 + 72 + 4 + 2;
      assertFalse(bench.system.runUntil(() -> !bench.b.received.isEmpty(), 1000 + wireLength - 1));
      assertTrue(bench.system.runUntil(() -> bench.b.received.size() == 1, 1));
      assertEquals(startNs + 1000 + wireLength, bench.system.nowNs());
      assertTrue(bench.system.runUntil(() -> bench.b.received.size() == 2, 1_000_000));
      assertEquals(startNs + 1000 + 2 * wireLength, bench.system.nowNs());
      bench.system.runUntilIdle(MAX_EVENTS);
      long laterNs = bench.system.nowNs() + 5000;
      bench.system.runFor(5000);
      bench.a.submit(2, 0, 72);
      assertTrue(bench.system.runUntil(() -> bench.b.received.size() == 3, 1_000_000));
      assertEquals(laterNs + 1000 + wireLength, bench.system.nowNs(), "an idle cable is free at once");
    }
  }

  @Test
  void shouldDeliverEverythingOnceAndInOrderWithoutFaults() {
    try (Bench bench = new Bench(2, new LinkProfile(500, 10_000_000_000L), LinkFaults.NONE, 8, 20)) {
      bench.trafficBothWays(20_000, new SplittableRandom(2));
      bench.system.runUntilIdle(MAX_EVENTS);
      for (EndPort end : new EndPort[] {bench.a, bench.b}) {
        Map<Integer, Integer> next = new HashMap<>();
        for (Packet packet : end.received) {
          int flow = packet.dstLid() * 16 + VirtualLane.of(packet.serviceLevel(), LANES);
          assertEquals(next.merge(flow, 1, Integer::sum) - 1, packet.psn());
        }
        assertTrue(end.fates.stream().allMatch(fate -> fate.released == 1));
        assertEquals(0, end.waitingCount());
      }
      assertEquals(20_000, bench.a.received.size() + bench.b.received.size());
      assertCreditsConserved("a to b", bench.a, bench.b, 8, 0);
      assertCreditsConserved("b to a", bench.b, bench.a, 8, 0);
    }
  }

  static LongStream seeds() {
    return Seeds.of(SimulatedLinkTest.class, "link", 11, 4, 4).stream();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldConserveCreditsAndReleaseOnceWhateverTheFaults(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    LinkFaults faults = new LinkFaults(0.05, 0.05, 0.1, 0.05, 3000);
    int capacity = 1 + random.nextInt(9);
    String where = "seed " + seed + " capacity " + capacity;
    try (Bench bench = new Bench(seed, new LinkProfile(400, 40_000_000_000L), faults, capacity, random.nextInt(30))) {
      for (int round = 0; round < 10; round++) {
        bench.trafficBothWays(2_500, random);
        bench.system.runUntilIdle(MAX_EVENTS);
        assertCreditsConserved(where, bench.a, bench.b, capacity, 2);
        assertCreditsConserved(where, bench.b, bench.a, capacity, 2);
      }
      LinkCounts counts = bench.link.countsFromA().plus(bench.link.countsFromB());
      assertEquals(25_000, counts.transmitted(), where);
      assertEquals(counts.transmitted(),
          counts.delivered() - counts.duplicated() + counts.lost() + counts.corruptionsRejected(), where);
      assertEquals(counts.delivered(), bench.a.received.size() + bench.b.received.size(), where);
      assertTrue(counts.lost() > 500 && counts.reordered() > 1000 && counts.corruptionsRejected() > 500, counts::toString);
      assertTrue(capacity == 1 || counts.duplicated() > 50, where + " " + counts);
      assertEquals(0, bench.a.overruns + bench.b.overruns, where);
      assertTrue(bench.a.fates.stream().allMatch(fate -> fate.released == 1), where);
      assertTrue(bench.b.fates.stream().allMatch(fate -> fate.released == 1), where);
      bench.link.setFaults(LinkFaults.NONE);
      bench.trafficBothWays(2_000, random);
      bench.system.runUntilIdle(MAX_EVENTS);
      assertEquals(0, bench.a.waitingCount() + bench.b.waitingCount(), where);
    }
  }

  @Test
  void shouldDuplicateWithoutAnyOtherFault() {
    try (Bench bench = new Bench(3, new LinkProfile(100, 0), new LinkFaults(0, 0.5, 0, 0, 0), 16, 0)) {
      for (int i = 0; i < 1000; i++) {
        bench.a.submit(2, i, 8);
        bench.system.runUntilIdle(MAX_EVENTS);
      }
      long duplicated = bench.link.countsFromA().duplicated();
      assertTrue(duplicated > 100, "duplicated " + duplicated);
      assertEquals(1000 + duplicated, bench.b.received.size());
      Set<Integer> ids = new HashSet<>();
      bench.b.received.forEach(packet -> ids.add(packet.destQp()));
      assertEquals(1000, ids.size());
      assertTrue(bench.a.fates.stream().allMatch(fate -> fate.released == 1));
    }
  }

  @Test
  void shouldTellTheOwnerOfADuplicatedPacketWhenBothWereReleased() {
    try (Bench bench = new Bench(5, new LinkProfile(100, 0), new LinkFaults(0, 0.5, 0, 0, 3_000), 16, 0)) {
      int kept = 0;
      for (int i = 0; i < 1000; i++) {
        long before = bench.link.countsFromA().duplicated();
        int received = bench.b.received.size();
        bench.a.submit(2, 0, 8);
        assertTrue(bench.system.runUntil(() -> bench.b.received.size() > received, 1_000_000));
        boolean bothHaveCome = bench.b.received.size() == received + 2;
        boolean isKept = bench.link.countsFromA().duplicated() > before && !bothHaveCome;
        assertEquals(isKept ? 0 : 1, bench.a.fates.get(i).released, "packet " + i);
        bench.system.runUntilIdle(MAX_EVENTS);
        assertEquals(1, bench.a.fates.get(i).released, "packet " + i);
        kept += isKept ? 1 : 0;
      }
      assertTrue(kept > 100, "duplicated " + kept);
    }
  }

  @Test
  void shouldLoseEverythingWhileCutAndNothingAfterwards() {
    try (Bench bench = new Bench(4, new LinkProfile(100, 0), LinkFaults.NONE, 4, 0)) {
      bench.link.setPartitioned(true, false);
      bench.trafficBothWays(2_000, new SplittableRandom(4));
      bench.system.runUntilIdle(MAX_EVENTS);
      assertEquals(0, bench.b.received.size());
      assertEquals(bench.a.fates.size(), bench.link.countsFromA().partitioned());
      assertEquals(bench.b.fates.size(), bench.a.received.size());
      bench.link.setPartitioned(false);
      for (int i = 0; i < 100; i++) {
        bench.a.submit(2, 0, 1);
      }
      bench.system.runUntilIdle(MAX_EVENTS);
      assertEquals(100, bench.b.received.size());
      assertCreditsConserved("after mending", bench.a, bench.b, 4, 0);
    }
  }

  @Test
  void shouldGiveTheSameTraceForTheSameSeed() {
    assertEquals(traceOf(77), traceOf(77));
    assertTrue(traceOf(77) != traceOf(78));
  }

  private static long traceOf(long seed) {
    LinkFaults faults = new LinkFaults(0.05, 0.05, 0.1, 0.05, 3000);
    try (Bench bench = new Bench(seed, new LinkProfile(400, 40_000_000_000L), faults, 8, 10)) {
      bench.trafficBothWays(2_000, new SplittableRandom(seed));
      bench.system.runUntilIdle(MAX_EVENTS);
      return bench.system.traceHash();
    }
  }

  @Test
  void shouldKeepNoMoreThanHalfOfALanesBuffersInReserve() {
    for (int capacity = 1; capacity < 6; capacity++) {
      DuplicateReserve reserve = new DuplicateReserve(1);
      int passed = reserve.pass(0, capacity, true);
      assertEquals(capacity, passed + reserve.spare(0));
      assertEquals(Math.min(2, capacity / 2), reserve.spare(0));
      assertEquals(reserve.spare(0) > 0, reserve.take(0));
      int before = reserve.spare(0);
      assertEquals(1 + before, reserve.pass(0, 1, false), "what was kept is added when duplicates are switched off");
      assertEquals(0, reserve.spare(0));
    }
  }

  @Test
  void shouldRefuseProbabilitiesAndCostsThatMakeNoSense() {
    assertThrows(IllegalArgumentException.class, () -> new LinkFaults(1.1, 0, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new LinkFaults(0, Double.NaN, 0, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new LinkFaults(0, 0, 0.5, 0, 0));
    assertThrows(IllegalArgumentException.class, () -> new LinkProfile(-1, 0));
  }
}
