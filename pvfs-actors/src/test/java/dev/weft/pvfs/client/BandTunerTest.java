package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.wire.Band;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The choice of bands beside models of what they cost: times come from the models, no clock is read. */
@Tag("slow")
class BandTunerTest {
  private static final TuningSettings SETTINGS = new TuningSettings(512, 8, 10, 2);
  private static final int INLINE_BYTES = 4096;
  private static final int FAST_BYTES = 65_536;
  private static final int REQUESTS = 60_000;

  /** What a request takes, without chance. */
  private interface Costs {
    double ns(Band band, int bytes);
  }

  /** Sums of one run. */
  private record Outcome(double tuned, double fixed, double best, BandTuner tuner) {}

  private static Band usual(int bytes) {
    return bytes <= INLINE_BYTES ? Band.INLINE : bytes <= FAST_BYTES ? Band.FAST : Band.SERVER;
  }

  private static double best(Costs costs, int bytes) {
    double best = costs.ns(Band.SERVER, bytes);
    best = bytes <= FAST_BYTES ? Math.min(best, costs.ns(Band.FAST, bytes)) : best;
    return bytes <= INLINE_BYTES ? Math.min(best, costs.ns(Band.INLINE, bytes)) : best;
  }

  /** Sizes of 128 bytes to 128 KiB, each power of two as often; a request takes up to 30 percent more by chance, and one in 200 twenty times as long. */
  private static Outcome run(Costs costs, long seed, int requests, int from) {
    Random random = new Random(seed);
    BandTuner tuner = new BandTuner(SETTINGS);
    double tuned = 0;
    double fixed = 0;
    double best = 0;
    for (int i = 0; i < requests; i++) {
      int bytes = 128 << random.nextInt(11);
      double chance = (1 + 0.3 * random.nextDouble()) * (random.nextInt(200) == 0 ? 20 : 1);
      Band band = tuner.choose(true, bytes, bytes <= INLINE_BYTES, bytes <= FAST_BYTES, usual(bytes));
      long tookNs = (long) (costs.ns(band, bytes) * chance);
      tuner.learn(true, bytes, band, tookNs);
      if (i >= from) {
        tuned += tookNs;
        fixed += costs.ns(usual(bytes), bytes) * chance;
        best += best(costs, bytes) * chance;
      }
    }
    return new Outcome(tuned, fixed, best, tuner);
  }

  /** As the seed's machine: copies cost, RDMA of the daemon has a start-up. */
  private static double seed(Band band, int bytes) {
    return switch (band) {
      case INLINE -> 15_000 + 4.0 * bytes;
      case FAST -> 19_000 + 3.0 * bytes;
      default -> 85_000 + 2.0 * bytes;
    };
  }

  /** As a machine where the daemon's RDMA is the cheapest from 16 KiB on, and dear below. */
  private static double cheapServer(Band band, int bytes) {
    return switch (band) {
      case INLINE -> 10_000 + 6.0 * bytes;
      case FAST -> 15_000 + 3.0 * bytes;
      default -> 30_000 + 1.0 * bytes;
    };
  }

  @Test
  void shouldComeNearTheBestBandWhereTheThresholdsAreWrong() {
    for (long seed = 1; seed <= 5; seed++) {
      Outcome all = run(BandTunerTest::cheapServer, seed, REQUESTS, REQUESTS / 2);
      assertTrue(all.tuned() < 1.1 * all.best(), "seed " + seed + ": " + all + ", " + all.tuner().describe());
      assertTrue(all.tuned() < 0.8 * all.fixed(), "seed " + seed + ": " + all + ", " + all.tuner().describe());
    }
  }

  @Test
  void shouldNeverBeMuchWorseThanTheThresholds() {
    Random random = new Random(4711);
    for (long seed = 1; seed <= 30; seed++) {
      double[] start = random.doubles(3, 5_000, 500_000).toArray();
      double[] each = random.doubles(3, 0.1, 40).toArray();
      Outcome all = run((band, bytes) -> start[band.ordinal()] + each[band.ordinal()] * bytes, seed, REQUESTS, 0);
      assertTrue(all.tuned() < 1.06 * all.fixed(), "seed " + seed + ": " + all + ", " + all.tuner().describe());
    }
  }

  @Test
  void shouldLeaveTheThresholdsWhereTheyAreRight() {
    Outcome all = run(BandTunerTest::seed, 3, REQUESTS, 0);
    assertTrue(all.tuned() < 1.03 * all.fixed(), all.toString());
    assertTrue(all.tuner().changes() <= 4, all.tuner().describe());
  }

  @Test
  void shouldGoBackWhenWhatWasBetterBecomesWorse() {
    BandTuner tuner = new BandTuner(SETTINGS);
    drive(tuner, 20_000, 10_000, 40_000);
    assertEquals(Band.SERVER, tuner.choose(false, 40_000, false, true, Band.FAST), tuner.describe());
    drive(tuner, 100_000, 40_000, 10_000);
    assertTrue(tuner.describe().startsWith("reads fast to 65536"), tuner.describe());
  }

  private static void drive(BandTuner tuner, int requests, long serverNs, long fastNs) {
    for (int i = 0; i < requests; i++) {
      Band band = tuner.choose(false, 40_000, false, true, Band.FAST);
      tuner.learn(false, 40_000, band, band == Band.SERVER ? serverNs : fastNs);
    }
  }

  @Test
  void shouldChooseOnlyWhatCarriesTheRequest() {
    BandTuner tuner = new BandTuner(SETTINGS);
    for (int i = 0; i < 10_000; i++) {
      Band band = tuner.choose(true, 3_000, false, false, Band.SERVER);
      assertEquals(Band.SERVER, band);
      band = tuner.choose(true, 3_000, i % 2 == 0, true, i % 2 == 0 ? Band.INLINE : Band.FAST);
      assertTrue(band != Band.INLINE || i % 2 == 0);
      tuner.learn(true, 3_000, band, band == Band.INLINE ? 100 : 1_000);
    }
  }

  @Test
  void shouldDoTheSameWithTheSameTimes() {
    String first = run(BandTunerTest::cheapServer, 9, 20_000, 0).toString().replaceAll("tuner=.*", "");
    assertEquals(first, run(BandTunerTest::cheapServer, 9, 20_000, 0).toString().replaceAll("tuner=.*", ""));
  }
}
