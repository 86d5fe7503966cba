package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Operations on names: threads of one client create and close, look up, open, and remove files. The manager decides what it syncs before an answer. */
final class MetadataTest implements Measurement {
  private static final int FILES = 200;

  @Override
  public String name() {
    return "metadata";
  }

  @Override
  public List<String> columns() {
    return List.of("what", "threads", "perS", "bestPerS");
  }

  @Override
  public int steps(BenchOptions options) {
    return 4 * options.iterations;
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    PvfsFileSystem client = laboratory.client();
    String directory = laboratory.path("names");
    client.mkdir(directory, 0700);
    Map<String, Laboratory.Work> parts = new LinkedHashMap<>();
    parts.put("create and close", thread -> each(directory, thread, path -> client.open(path, StripingWish.NONE, 0600, StandardOpenOption.CREATE_NEW,
        StandardOpenOption.WRITE).close()));
    parts.put("stat", thread -> each(directory, thread, client::attributes));
    parts.put("open and close", thread -> each(directory, thread, path -> client.open(path).close()));
    parts.put("unlink", thread -> each(directory, thread, client::unlink));
    Map<String, double[]> seconds = new LinkedHashMap<>();
    parts.keySet().forEach(what -> seconds.put(what, new double[options.iterations]));
    Laboratory.warmUp(options, () -> {
      for (Laboratory.Work part : parts.values()) {
        Laboratory.together(options.clients, part);
      }
    });
    for (int i = 0; i < options.iterations; i++) {
      for (Map.Entry<String, Laboratory.Work> part : parts.entrySet()) {
        seconds.get(part.getKey())[i] = Laboratory.together(options.clients, part.getValue());
        laboratory.step(part.getKey());
      }
    }
    List<Map<String, Object>> rows = new ArrayList<>();
    seconds.forEach((what, each) -> rows.add(row(what, options.clients, each)));
    return rows;
  }

  private interface On {
    void run(String path) throws Exception;
  }

  private static void each(String directory, int thread, On on) throws Exception {
    for (int i = 0; i < FILES; i++) {
      on.run(directory + "/" + thread + "-" + i);
    }
  }

  private static Map<String, Object> row(String what, int threads, double[] seconds) {
    double best = Double.MAX_VALUE;
    for (double each : seconds) {
      best = Math.min(best, each);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", what);
    row.put("threads", threads);
    row.put("perS", threads * FILES / Laboratory.median(seconds));
    row.put("bestPerS", threads * FILES / best);
    return row;
  }
}
