package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Each client writes its region of one file, block by block, then reads it: PVFS over InfiniBand, section 6.3, Figures 7 and 8. */
final class PvfsTest implements Measurement {
  private static final double MIB = 1 << 20;

  @Override
  public String name() {
    return "pvfs-test";
  }

  @Override
  public List<String> columns() {
    return List.of("what", "clients", "bytes", "blockBytes", "mibPerS", "bestMibPerS", "processorSecondsPerGiB", "copiesPerByte");
  }

  @Override
  public int steps(BenchOptions options) {
    return 2 * (options.iterations + 1);
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("shared");
    List<PvfsFileSystem> clients = new ArrayList<>();
    List<PvfsFile> files = new ArrayList<>();
    List<MemorySegment> memory = new ArrayList<>();
    for (int i = 0; i < options.clients; i++) {
      clients.add(laboratory.client());
      files.add(Laboratory.open(clients.get(i), path, StripingWish.NONE));
      memory.add(options.isShared ? laboratory.sharedMemory(clients.get(i), options.block) : Laboratory.memory(options.block));
    }
    try {
      Blocks blocks = new Blocks(options.bytes, options.block);
      return List.of(
          row("write", laboratory, options, clients, i -> blocks.each(i, at -> files.get(i).write(memory.get(i), at))),
          row("read", laboratory, options, clients, i -> blocks.each(i, at -> files.get(i).read(memory.get(i), at))));
    } finally {
      for (PvfsFile file : files) {
        file.close();
      }
    }
  }

  /** The region of each client. */
  private record Blocks(long bytes, long blockBytes) {
    interface At {
      void run(long offset) throws Exception;
    }

    void each(int client, At at) throws Exception {
      for (long done = 0; done + blockBytes <= bytes; done += blockBytes) {
        at.run(client * bytes + done);
      }
    }
  }

  /** The warm-up does not count: it allocates memory and compiles code. */
  private static Map<String, Object> row(String what, Laboratory laboratory, BenchOptions options, List<PvfsFileSystem> clients, Laboratory.Work work)
      throws Exception {
    Laboratory.warmUp(options, () -> Laboratory.together(options.clients, work));
    laboratory.step(what);
    double[] seconds = new double[options.iterations];
    double processor = Laboratory.processorSeconds();
    Copies before = Copies.of(laboratory, clients);
    for (int i = 0; i < options.iterations; i++) {
      seconds[i] = Laboratory.together(options.clients, work);
      laboratory.step(what);
    }
    double usedSeconds = Laboratory.processorSeconds() - processor;
    double bytes = options.clients * (options.bytes / options.block * options.block);
    double best = Double.MAX_VALUE;
    for (double each : seconds) {
      best = Math.min(best, each);
    }
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", what);
    row.put("clients", options.clients);
    row.put("bytes", (long) bytes);
    row.put("blockBytes", options.block);
    row.put("mibPerS", bytes / MIB / Laboratory.median(seconds));
    row.put("bestMibPerS", bytes / MIB / best);
    row.put("processorSecondsPerGiB", usedSeconds / (bytes * options.iterations / (1 << 30)));
    row.put("copiesPerByte", Copies.of(laboratory, clients).since(before, bytes * options.iterations));
    return row;
  }
}
