package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.EventSource;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Writes, reads and atomics from a seed against ranges from a seed, local and remote, of apertures and of registered memory, told through
 * an event queue: none is missed and none is false. As {@link TripwirePropertyTest}, whose property says how many writes each case has.
 * Seeds of the version make a twentieth of them.
 */
@Tag("slow")
@Tag("simulation")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
@Execution(ExecutionMode.CONCURRENT)
class TripwireConfigurationsTest {
  private static final int WRITES = Integer.getInteger("weft.tripwire.writes", 1_000_000);
  private static final int RANGE_MAX = 20_000;

  private static Watched watched(String what, VirtualPair pair, int unit) {
    return switch (what) {
      case "local" -> new Watched.Aperture(pair, false);
      case "remote" -> new Watched.Aperture(pair, true);
      case "region" -> new Watched.Region(pair, unit);
      default -> throw new IllegalArgumentException(what);
    };
  }

  private static VirtualPair pair(long seed, int unit, int fifo, int batch) {
    return new VirtualPair(seed, LinkFaults.NONE, "weft.tripwire { burst-max = " + unit + ", fifo-entries = " + fifo + ", fifo-batch = "
        + batch + " }");
  }

  /** Tripwires of one kind of access. */
  private static final class Wires {
    final RangeModel model;
    final List<Tripwire> all = new ArrayList<>();
    final long[] told;

    Wires(SplittableRandom random, Watched watched, Watch watch, int count, EventQueue queue, Map<EventSource, Runnable> noted, long[] last) {
      model = new RangeModel(count);
      told = new long[count];
      for (int i = 0; i < count; i++) {
        model.start[i] = RangeModel.offset(random);
        model.end[i] = model.start[i] + RangeModel.length(random, model.start[i], RANGE_MAX, RangeModel.longRangeOneIn(count));
        model.once[i] = random.nextInt(4) == 0;
        int index = i;
        Tripwire wire = watched.set(watched.nic().tripwire(), watch, model.start[i], model.end[i] - model.start[i], model.once[i]);
        queue.register(wire);
        noted.put(wire, () -> told[index] += last[0]);
        all.add(wire);
      }
      model.sort();
    }

    void rearm(SplittableRandom random) {
      for (int n = Math.min(all.size(), 100); n > 0; n--) {
        int i = random.nextInt(all.size());
        boolean arms = random.nextInt(8) != 0;
        if (arms) {
          all.get(i).arm();
        } else {
          all.get(i).disarm();
        }
        model.armed[i] = arms;
      }
    }

    void check() {
      assertArrayEquals(model.expected, told, "told");
      assertArrayEquals(model.expected, all.stream().mapToLong(Tripwire::counted).toArray(), "counted");
      assertTrue(Arrays.stream(told).sum() > 0, "something has fired");
    }
  }

  @ParameterizedTest(name = "seed {0}, {1}, {2} tripwires, packets of {3}, fifo of {4} by {5}, events {6}")
  @CsvSource({"1, local, 100, 1024, 1024, 0, 1024", "2, local, 1000, 256, 8, 1, 4", "3, remote, 100, 1024, 1024, 1, 1024",
      "4, remote, 1000, 512, 4, 0, 8", "5, region, 100, 1024, 1024, 0, 1024", "6, region, 1000, 256, 8, 1, 4"})
  void shouldTellOfEachAccessThatTouchesAndOfNothingElse(long seed, String what, int tripwires, int unit, int fifo, int batch, int events) {
    play(seed, what, tripwires, unit, fifo, batch, events, WRITES);
  }

  @Test
  void shouldTellOfEachAccessThatTouchesWithTheSeedsOfThisVersion() {
    Seeds.of(TripwireConfigurationsTest.class, "tripwire-configurations", 1, 0, 3).run(seed -> {
      play(seed, "local", 100, 1024, 1024, 0, 1024, WRITES / 20);
      play(seed, "remote", 1000, 512, 4, 0, 8, WRITES / 20);
      play(seed, "region", 1000, 256, 8, 1, 4, WRITES / 20);
    });
  }

  private static void play(long seed, String what, int tripwires, int unit, int fifo, int batch, int events, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    try (VirtualPair pair = pair(seed, unit, fifo, batch)) {
      Watched watched = watched(what, pair, unit);
      EventQueue queue = watched.nic().eventQueue(events);
      Map<EventSource, Runnable> noted = new IdentityHashMap<>(); // Looked up, never iterated.
      long[] last = new long[2];
      Wires writes = new Wires(random, watched, Watch.WRITE, tripwires, queue, noted, last);
      Wires reads = new Wires(random, watched, Watch.READ, tripwires, queue, noted, last);
      Traffic traffic = new Traffic(random, watched, writes.model, reads.model);
      while (traffic.writes < count) {
        writes.rearm(random);
        reads.rearm(random);
        watched.run();
        traffic.batch();
        watched.run();
        drain(queue, pair, noted, last);
      }
      assertEquals(-1, watched.memory().mismatch(traffic.expected), "data");
      writes.check();
      reads.check();
      boolean isTight = events < 100;
      assertEquals(isTight, last[1] > 0, "events that found no room at first: " + last[1]);
      assertEquals(watched.hasAtomics(), traffic.failed > 0, "comparisons that failed: " + traffic.failed);
    }
  }

  private static void drain(EventQueue queue, VirtualPair pair, Map<EventSource, Runnable> noted, long[] last) {
    boolean found = true;
    while (found) {
      found = false;
      while (queue.poll()) {
        found = true;
        last[0] = queue.count();
        if (queue.isOverflow()) {
          last[1] += queue.count();
        } else {
          noted.get(queue.source()).run();
        }
      }
      pair.run();
    }
  }

  /** Accesses, and what they do to the memory and to who watches it. */
  private static final class Traffic {
    final MemorySegment expected = MemorySegment.ofArray(new long[RangeModel.MEMORY / 8]);
    int writes;
    long failed;
    private final SplittableRandom random;
    private final Watched watched;
    private final RangeModel written;
    private final RangeModel read;
    private long lastEnd;

    Traffic(SplittableRandom random, Watched watched, RangeModel written, RangeModel read) {
      this.random = random;
      this.watched = watched;
      this.written = written;
      this.read = read;
    }

    void batch() {
      for (int i = 0; i < Watched.BATCH; i++) {
        int kind = random.nextInt(32);
        if (kind == 0) {
          long at = RangeModel.offset(random);
          int count = (int) RangeModel.length(random, at, Watched.BYTES_MAX, written.longAccessOneIn());
          watched.read(at, count);
          read.accessed(at, at + count);
        } else if (kind < 5 && watched.hasAtomics()) {
          compareAndSwap();
        } else {
          write();
        }
      }
    }

    private void write() {
      long at = RangeModel.offset(random, lastEnd);
      int count = (int) RangeModel.length(random, at, Watched.BYTES_MAX, written.longAccessOneIn());
      lastEnd = at + count;
      byte value = (byte) ++writes;
      expected.asSlice(at, count).fill(value);
      watched.write(at, count, value);
      written.accessed(at, at + count);
    }

    private void compareAndSwap() {
      long at = RangeModel.offset(random) & ~7;
      long there = expected.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      boolean succeeds = random.nextBoolean();
      long replacement = random.nextLong();
      watched.compareAndSwap(at, succeeds ? there : ~there, replacement);
      read.accessed(at, at + Long.BYTES);
      if (succeeds) {
        expected.set(ValueLayout.JAVA_LONG_UNALIGNED, at, replacement);
        written.accessed(at, at + Long.BYTES);
      } else {
        failed++;
      }
    }
  }

  @ParameterizedTest(name = "seed {0}, {1}, packets of {2}")
  @CsvSource({"7, local, 256", "8, region, 256"})
  void shouldTellOfAWriteDuringWhichItIsArmedUnlessItsBytesWereThere(long seed, String what, int unit) {
    SplittableRandom random = new SplittableRandom(seed);
    try (VirtualPair pair = pair(seed, unit, 1024, 0)) {
      Watched watched = watched(what, pair, unit);
      int told = 0;
      int untold = 0;
      for (int i = 0; i < WRITES; i++) {
        int count = random.nextInt(1, 3000);
        long at = Math.min(RangeModel.offset(random), RangeModel.MEMORY - count);
        long start = at + random.nextInt(count);
        long length = random.nextInt(1, 600);
        Tripwire wire = watched.set(watched.nic().tripwire(), Watch.WRITE, start, Math.min(length, RangeModel.MEMORY - start), true);
        long last = Math.min(start + length, at + count) - 1;
        byte value = (byte) (watched.memory().get(ValueLayout.JAVA_BYTE, last) + 1);
        watched.write(at, count, value);
        pair.fabric.system().runFor(random.nextInt(2000 + 3 * count));
        boolean wasThere = watched.memory().get(ValueLayout.JAVA_BYTE, last) == value;
        wire.arm();
        watched.run();
        assertEquals(wasThere ? 0 : 1, wire.counted(), "write " + i + " of " + count + " bytes");
        wire.close();
        told += wasThere ? 0 : 1;
        untold += wasThere ? 1 : 0;
      }
      assertTrue(told > WRITES / 10 && untold > WRITES / 10, "armed before " + told + " and after " + untold);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"local", "remote", "region"})
  void shouldTellThreeTimesOfAWriteOverThreeRangesAcrossPagesAndPackets(String what) {
    try (VirtualPair pair = pair(9, 1024, 1024, 0)) {
      Watched watched = watched(what, pair, 1024);
      EventQueue queue = watched.nic().eventQueue(16);
      List<Tripwire> wires = new ArrayList<>();
      for (long[] range : new long[][] {{4090, 12}, {1020, 8}, {0, 6000}, {6000, 8}}) {
        Tripwire wire = watched.set(watched.nic().tripwire(), Watch.WRITE, range[0], range[1], false);
        queue.register(wire);
        wire.arm();
        wires.add(wire);
      }
      watched.write(1, 5000, (byte) 1);
      watched.read(0, 6000);
      watched.run();
      List<EventSource> told = new ArrayList<>();
      while (queue.poll()) {
        assertEquals(1, queue.count());
        told.add(queue.source());
      }
      assertEquals(3, told.size());
      assertTrue(told.containsAll(wires.subList(0, 3)), "once each, and not the range behind the write");
    }
  }
}
