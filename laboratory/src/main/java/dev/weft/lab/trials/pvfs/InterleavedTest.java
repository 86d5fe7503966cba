package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * As the MPI-IO test of PVFS over InfiniBand, section 6.4 (Figures 9 and 10), with threads in place of ranks: clients write and read interleaved
 * blocks of one file. Also measures the use of their processor.
 */
final class InterleavedTest implements Measurement {
  private static final double MIB = 1 << 20;

  @Override
  public String name() {
    return "mpi-io";
  }

  @Override
  public List<String> columns() {
    return List.of("what", "clients", "blockBytes", "mibPerS", "processorPercent", "processorSecondsPerGiB");
  }

  @Override
  public int steps(BenchOptions options) {
    return 2 * options.clients * (options.iterations + 1);
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("mpi-io");
    List<PvfsFile> files = new ArrayList<>();
    List<MemorySegment> memory = new ArrayList<>();
    for (int i = 0; i < options.clients; i++) {
      PvfsFileSystem client = laboratory.client();
      files.add(Laboratory.open(client, path, StripingWish.NONE));
      memory.add(Laboratory.memory(options.block));
    }
    try {
      List<Map<String, Object>> rows = new ArrayList<>();
      for (int clients = 1; clients <= options.clients; clients++) {
        int together = clients;
        long blocks = options.bytes / options.block;
        rows.add(row("write", clients, laboratory, options, client -> {
          for (long block = 0; block < blocks; block++) {
            files.get(client).write(memory.get(client), (block * together + client) * options.block);
          }
        }));
        rows.add(row("read", clients, laboratory, options, client -> {
          for (long block = 0; block < blocks; block++) {
            files.get(client).read(memory.get(client), (block * together + client) * options.block);
          }
        }));
      }
      return rows;
    } finally {
      for (PvfsFile file : files) {
        file.close();
      }
    }
  }

  private static Map<String, Object> row(String what, int clients, Laboratory laboratory, BenchOptions options, Laboratory.Work work) throws Exception {
    Laboratory.together(clients, work); // Does not count.
    laboratory.step(what);
    double[] seconds = new double[options.iterations];
    double processor = Laboratory.processorSeconds();
    double all = 0;
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = Laboratory.together(clients, work);
      all += seconds[i];
      laboratory.step(what);
    }
    double used = Laboratory.processorSeconds() - processor;
    double bytes = clients * (options.bytes / options.block * options.block);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", what);
    row.put("clients", clients);
    row.put("blockBytes", options.block);
    row.put("mibPerS", bytes / MIB / Laboratory.median(seconds));
    row.put("processorPercent", 100 * used / all / clients);
    row.put("processorSecondsPerGiB", used / (bytes * seconds.length / (1 << 30)));
    return row;
  }
}
