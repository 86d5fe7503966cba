package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.service.measure.LatencyRecorder;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Sequential writes and reads at one daemon, by each band and by the automatic choice: PVFS over InfiniBand, section 6.5, Figure 11. */
final class SmallTest implements Measurement {
  private static final int REQUESTS = 200;
  /** Requests by one band before the next one's turn. */
  private static final int AT_ONCE = 20;
  private static final int STRIPE_BYTES = 64 << 20;
  private static final List<String> BANDS = List.of("inline", "fast", "server", "auto");
  private static final int SHORTEST = 128;
  /** The column with the best single band; {@code auto} is compared with it. */
  private static final String BEST = "best";

  @Override
  public String name() {
    return "small";
  }

  @Override
  public List<String> columns() {
    List<String> columns = new ArrayList<>(List.of("what", "bytes"));
    BANDS.forEach(band -> columns.add(band + "Us"));
    columns.add(BEST);
    columns.add("autoOverBest");
    return columns;
  }

  private static List<Integer> sizes(BenchOptions options) {
    List<Integer> sizes = new ArrayList<>();
    for (int bytes = SHORTEST; bytes <= options.to; bytes *= 2) {
      sizes.add(bytes);
    }
    return sizes;
  }

  @Override
  public int steps(BenchOptions options) {
    return 2 * sizes(options).size();
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("small");
    List<PvfsFile> files = new ArrayList<>();
    try {
      for (String band : BANDS) {
        PvfsFileSystem client = laboratory.client("band = " + band);
        files.add(Laboratory.open(client, path, new StripingWish(0, 1, STRIPE_BYTES)));
      }
      MemorySegment all = Laboratory.memory(options.to);
      files.getFirst().write(all, 0);
      Laboratory.warmUp(options, () -> {
        for (int bytes : sizes(options)) {
          turn(true, all.asSlice(0, bytes), files, unheard());
          turn(false, all.asSlice(0, bytes), files, unheard());
        }
      });
      List<Map<String, Object>> rows = new ArrayList<>();
      for (boolean isWrite : new boolean[] {true, false}) {
        for (int bytes : sizes(options)) {
          rows.add(row(isWrite, all.asSlice(0, bytes), files, options.iterations));
          laboratory.step((isWrite ? "write " : "read ") + bytes + " bytes");
        }
      }
      return rows;
    } finally {
      for (PvfsFile file : files) {
        file.close();
      }
    }
  }

  /** The bands take turns, so that all see the same state of the machine. The first turn does not count. */
  private static Map<String, Object> row(boolean isWrite, MemorySegment memory, List<PvfsFile> files, int iterations) throws Exception {
    LatencyRecorder[] recorders = unheard();
    turn(isWrite, memory, files, unheard());
    for (int turn = 0; turn < iterations; turn++) {
      turn(isWrite, memory, files, recorders);
    }
    return row(isWrite, memory.byteSize(), recorders);
  }

  private static LatencyRecorder[] unheard() {
    return BANDS.stream().map(_ -> new LatencyRecorder()).toArray(LatencyRecorder[]::new);
  }

  private static void turn(boolean isWrite, MemorySegment memory, List<PvfsFile> files, LatencyRecorder[] recorders) throws Exception {
    for (int i = 0; i < REQUESTS; i += AT_ONCE) {
      for (int band = 0; band < recorders.length; band++) {
        some(isWrite, memory, files.get(band), recorders[band]);
      }
    }
  }

  private static void some(boolean isWrite, MemorySegment memory, PvfsFile file, LatencyRecorder recorder) throws Exception {
    for (int i = 0; i < AT_ONCE; i++) {
      long startNs = System.nanoTime();
      if (isWrite) {
        file.write(memory, 0);
      } else {
        file.read(memory, 0);
      }
      recorder.record(System.nanoTime() - startNs);
    }
  }

  private static Map<String, Object> row(boolean isWrite, long bytes, LatencyRecorder[] recorders) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", isWrite ? "write" : "read");
    row.put("bytes", bytes);
    double best = Double.MAX_VALUE;
    String bestBand = "";
    double automatic = 0;
    for (int band = 0; band < recorders.length; band++) {
      double us = recorders[band].summarise(1).median();
      row.put(BANDS.get(band) + "Us", us);
      if (BANDS.get(band).equals("auto")) {
        automatic = us;
      } else if (us < best) {
        best = us;
        bestBand = BANDS.get(band);
      }
    }
    row.put(BEST, bestBand);
    row.put("autoOverBest", automatic / best);
    return row;
  }
}
