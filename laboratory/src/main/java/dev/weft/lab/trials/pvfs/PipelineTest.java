package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One large transfer to and from one daemon, cut into requests of different lengths: PVFS over InfiniBand, section 6.6, Figure 12. */
final class PipelineTest implements Measurement {
  private static final int SHORTEST = 64 << 10;
  private static final int LONGEST = 32 << 20;
  private static final double MIB = 1 << 20;

  @Override
  public String name() {
    return "pipeline";
  }

  @Override
  public List<String> columns() {
    return List.of("unitBytes", "writeMibPerS", "readMibPerS");
  }

  private static List<Integer> units(BenchOptions options) {
    List<Integer> units = new ArrayList<>();
    for (int unit = SHORTEST; unit <= Math.min(LONGEST, options.bytes); unit *= 2) {
      units.add(unit);
    }
    return units;
  }

  @Override
  public int steps(BenchOptions options) {
    return units(options).size();
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("pipeline");
    MemorySegment memory = Laboratory.memory(options.bytes);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (int unit : units(options)) {
      PvfsFileSystem client = laboratory.client("request = " + unit, "window = " + Math.max(unit, LONGEST), "band = server");
      try (PvfsFile file = Laboratory.open(client, path, new StripingWish(0, 1, 1 << 30))) {
        file.write(memory, 0); // Does not count.
        double[] writes = new double[options.iterations];
        double[] reads = new double[options.iterations];
        for (int i = 0; i < options.iterations; i++) {
          writes[i] = Laboratory.together(1, _ -> file.write(memory, 0));
          reads[i] = Laboratory.together(1, _ -> file.read(memory, 0));
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("unitBytes", unit);
        row.put("writeMibPerS", options.bytes / MIB / Laboratory.median(writes));
        row.put("readMibPerS", options.bytes / MIB / Laboratory.median(reads));
        rows.add(row);
      }
      if (unit * 2L <= Math.min(LONGEST, options.bytes)) {
        laboratory.leave(client); // The last client removes the file.
      }
      laboratory.step(unit + " bytes");
    }
    return rows;
  }
}
