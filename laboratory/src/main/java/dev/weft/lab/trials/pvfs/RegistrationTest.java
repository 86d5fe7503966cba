package dev.weft.lab.trials.pvfs;

import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes from buffers of a pool, a share of which was used recently, by each registration strategy: PVFS over InfiniBand, section 6.7, Figure 13. A
 * cache keeps a tenth of the pool, as in the paper.
 */
final class RegistrationTest implements Measurement {
  private static final int POOL = 1000;
  private static final int CACHE = 100;
  private static final int BUFFER_BYTES = 128 << 10;
  private static final int OPERATIONS = 500;
  private static final int[] HITS = {20, 80};
  private static final double MIB = 1 << 20;
  /** Nothing is registered during the writes: the baseline of the others. */
  private static final String NONE = "static, all registered before";

  @Override
  public String name() {
    return "registration";
  }

  @Override
  public List<String> columns() {
    return List.of("strategy", "hitPercent", "mibPerS", "overNone");
  }

  private static List<Strategy> strategies() {
    return List.of(Strategy.DYNAMIC, Strategy.PIN_DOWN_CACHE, Strategy.FMRD, Strategy.UNPINNED);
  }

  @Override
  public int steps(BenchOptions options) {
    return 1 + strategies().size() * HITS.length;
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("registration");
    MemorySegment pool = Laboratory.memory((long) POOL * BUFFER_BYTES);
    List<Map<String, Object>> rows = new ArrayList<>();
    double none = measure(laboratory, path, pool, options, "static", 2 * POOL + 1, 100);
    rows.add(row(NONE, 100, none, none));
    for (int hits : HITS) {
      for (Strategy strategy : strategies()) {
        String spelt = strategy.name().toLowerCase(Locale.ROOT).replace('_', '-');
        rows.add(row(spelt, hits, measure(laboratory, path, pool, options, spelt, CACHE, hits), none));
      }
    }
    return rows;
  }

  private static Map<String, Object> row(String strategy, int hits, double mibPerS, double none) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("strategy", strategy);
    row.put("hitPercent", hits);
    row.put("mibPerS", mibPerS);
    row.put("overNone", mibPerS / none);
    return row;
  }

  private static double measure(Laboratory laboratory, String path, MemorySegment pool, BenchOptions options, String strategy, int entries, int hits)
      throws Exception {
    PvfsFileSystem client = laboratory.client("registration = " + strategy, "registration-entries = " + entries, "band = server");
    try (PvfsFile file = Laboratory.open(client, path, StripingWish.NONE)) {
      Buffers buffers = new Buffers(hits);
      for (int i = 0; i < POOL; i++) { // Touches all, and registers those that stay registered.
        file.write(buffer(pool, i), 0);
      }
      double[] seconds = new double[options.iterations];
      for (int i = 0; i < seconds.length; i++) {
        seconds[i] = Laboratory.together(1, _ -> {
          for (int operation = 0; operation < OPERATIONS; operation++) {
            file.write(buffer(pool, buffers.next()), 0);
          }
        });
      }
      laboratory.step(strategy + ", " + hits + " %");
      return (double) OPERATIONS * BUFFER_BYTES / MIB / Laboratory.median(seconds);
    }
  }

  private static MemorySegment buffer(MemorySegment pool, int number) {
    return pool.asSlice((long) number * BUFFER_BYTES, BUFFER_BYTES);
  }

  /** Chooses the next buffer: some repeat and stay in the cache; the others come in turn, and have left the cache when they repeat. */
  private static final class Buffers {
    private static final int KEPT = 8;
    private final int hitPercent;
    private int asked;
    private int hit;
    private int miss;

    Buffers(int hitPercent) {
      this.hitPercent = hitPercent;
    }

    int next() {
      boolean isHit = (asked + 1) * hitPercent / 100 > asked * hitPercent / 100;
      asked = (asked + 1) % 100;
      return isHit ? hit++ % KEPT : KEPT + miss++ % (POOL - KEPT);
    }
  }
}
