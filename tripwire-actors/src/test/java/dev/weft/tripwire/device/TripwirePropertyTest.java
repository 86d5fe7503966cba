package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.DmaQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
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
 * Writes from a seed against ranges from a seed: each firing is due to a write that touched the range, each such write fires, and what
 * fires can be seen. {@code -Dweft.tripwire.writes} for fewer or more than a million writes for each case; the seed and the numbers are in
 * its name. Seeds of the version draw the numbers, too, and make a twentieth of the writes.
 */
@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
class TripwirePropertyTest {
  private static final int WRITES = Integer.getInteger("weft.tripwire.writes", 1_000_000);
  private static final int MEMORY = RangeModel.MEMORY;
  private static final int BATCH = 200;

  @ParameterizedTest(name = "seed {0}, {1} tripwires, bursts of {2}, fifo of {3}")
  @CsvSource({"1, 8, 4096, 1024", "2, 100, 1024, 16", "3, 1000, 256, 1024", "4, 1000, 4096, 1", "5, 65536, 4096, 1024"})
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void shouldFireForEachWriteThatTouchesAndForNothingElse(long seed, int tripwires, int burst, int fifo) {
    play(seed, tripwires, burst, fifo, WRITES);
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void shouldFireForEachWriteThatTouchesWithTheSeedsOfThisVersion() {
    Seeds.of(TripwirePropertyTest.class, "tripwire-writes", 1, 0, 3).run(seed -> {
      SplittableRandom random = new SplittableRandom(~seed);
      int[] tripwires = {8, 100, 1000, 65_536};
      expectedMemory.fill((byte) 0);
      play(seed, tripwires[random.nextInt(4)], 256 << random.nextInt(5), 1 << random.nextInt(11), WRITES / 20);
    });
  }

  private void play(long seed, int tripwires, int burst, int fifo, int writes) {
    SplittableRandom random = new SplittableRandom(seed);
    String settings = "weft.tripwire { tripwires-max = 65536, burst-max = " + burst + ", fifo-entries = " + fifo + " }";
    try (VirtualPair pair = new VirtualPair(seed, dev.weft.fabric.link.LinkFaults.NONE, settings)) {
      MemorySegment memory = pair.memory(MEMORY);
      LocalAperture aperture = pair.far.export(memory);
      RemoteAperture mapping = pair.near.map(aperture.descriptor(Rights.WRITE));
      DmaQueue dma = pair.near.endpoint(0).dma();
      MemorySegment source = pair.memory(MEMORY);
      RangeModel model = new RangeModel(tripwires);
      long[] told = new long[tripwires];
      List<Tripwire> wires = new ArrayList<>();
      for (int i = 0; i < tripwires; i++) {
        model.start[i] = RangeModel.offset(random);
        int most = tripwires > RangeModel.MANY ? RangeModel.SHORT : 20_000;
        model.end[i] = model.start[i] + RangeModel.length(random, model.start[i], most, RangeModel.longRangeOneIn(tripwires));
        model.once[i] = random.nextInt(4) == 0;
        int index = i;
        wires.add(pair.far.tripwire()
            .set(aperture, Watch.WRITE, model.start[i], model.end[i] - model.start[i], model.once[i])
            .onFired((wire, firings) -> told[index] += firings, ReceiveContext.ISR));
      }
      model.sort();
      for (int written = 0; written < writes; written += BATCH) {
        rearm(random, model, wires);
        pair.run();
        writeBatch(random, model, pair, mapping, dma, source);
        pair.run();
      }
      assertEquals(Status.OK, mapping.status());
      assertEquals(-1, memory.mismatch(expectedMemory), "data");
      assertArrayEquals(model.expected, told, "told");
      long[] counted = wires.stream().mapToLong(Tripwire::counted).toArray();
      assertArrayEquals(model.expected, counted, "counted");
      assertTrue(java.util.Arrays.stream(told).sum() > writes / 100, "something has fired");
    }
  }

  private final MemorySegment expectedMemory = MemorySegment.ofArray(new long[MEMORY / 8]);
  private int stamp;
  private long lastEnd;

  private static void rearm(SplittableRandom random, RangeModel model, List<Tripwire> wires) {
    for (int n = Math.min(wires.size(), 300); n > 0; n--) {
      int i = random.nextInt(wires.size());
      if (random.nextInt(8) == 0) {
        wires.get(i).disarm();
        model.armed[i] = false;
      } else {
        wires.get(i).arm();
        model.armed[i] = true;
      }
    }
  }

  private void writeBatch(SplittableRandom random, RangeModel model, VirtualPair pair, RemoteAperture mapping, DmaQueue dma,
      MemorySegment source) {
    boolean byDma = random.nextInt(4) == 0;
    long sourceAt = 0;
    for (int i = 0; i < BATCH; i++) {
      long at = RangeModel.offset(random, lastEnd);
      int count = (int) RangeModel.length(random, at, byDma ? 600 : 9000, model.longAccessOneIn());
      byte value = (byte) ++stamp;
      expectedMemory.asSlice(at, count).fill(value);
      source.asSlice(sourceAt, count).fill(value);
      if (byDma) {
        assertTrue(dma.write(mapping, at, source, sourceAt, count, i));
      } else {
        while (!mapping.write(at, source, sourceAt, count)) {
          pair.run();
        }
      }
      lastEnd = at + count;
      sourceAt = byDma ? sourceAt + count : 0;
      model.accessed(at, at + count);
    }
  }
}
