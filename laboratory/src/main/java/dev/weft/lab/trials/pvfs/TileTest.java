package dev.weft.lab.trials.pvfs;

import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Four clients, each with one of 2 x 2 displays of 1024 x 768 elements of 24 bytes in one file of 72 MiB. The rows are apart in the file and adjacent
 * in memory; they move by list I/O, and by a call for each row (PVFS over InfiniBand, section 6.8, Figure 14).
 */
final class TileTest implements Measurement {
  private static final int ROWS = 768;
  private static final int ROW_BYTES = 1024 * 24;
  private static final int TILES = 4;
  private static final int ACROSS = 2;
  private static final double MIB = 1 << 20;

  @Override
  public String name() {
    return "tile";
  }

  @Override
  public List<String> columns() {
    return List.of("what", "listMibPerS", "singlyMibPerS", "listOverSingly");
  }

  @Override
  public int steps(BenchOptions options) {
    return 4 * options.iterations;
  }

  private static long[] offsets(int tile) {
    long[] offsets = new long[ROWS];
    for (int row = 0; row < ROWS; row++) {
      offsets[row] = ((long) (tile / ACROSS * ROWS + row) * ACROSS + tile % ACROSS) * ROW_BYTES;
    }
    return offsets;
  }

  private static long[] lengths() {
    long[] lengths = new long[ROWS];
    Arrays.fill(lengths, ROW_BYTES);
    return lengths;
  }

  @Override
  public List<Map<String, Object>> run(Laboratory laboratory, BenchOptions options) throws Exception {
    String path = laboratory.path("tile");
    List<PvfsFile> files = new ArrayList<>();
    List<MemorySegment> memory = new ArrayList<>();
    for (int tile = 0; tile < TILES; tile++) {
      PvfsFileSystem client = laboratory.client();
      files.add(Laboratory.open(client, path, StripingWish.NONE));
      memory.add(Laboratory.memory((long) ROWS * ROW_BYTES));
    }
    try {
      return List.of(
          row("write", laboratory, options, tile -> files.get(tile).writeList(offsets(tile), lengths(), memory.get(tile)), tile -> {
            long[] offsets = offsets(tile);
            for (int row = 0; row < ROWS; row++) {
              files.get(tile).write(memory.get(tile).asSlice((long) row * ROW_BYTES, ROW_BYTES), offsets[row]);
            }
          }),
          row("read", laboratory, options, tile -> files.get(tile).readList(offsets(tile), lengths(), memory.get(tile)), tile -> {
            long[] offsets = offsets(tile);
            for (int row = 0; row < ROWS; row++) {
              files.get(tile).read(memory.get(tile).asSlice((long) row * ROW_BYTES, ROW_BYTES), offsets[row]);
            }
          }));
    } finally {
      for (PvfsFile file : files) {
        file.close();
      }
    }
  }

  private static Map<String, Object> row(String what, Laboratory laboratory, BenchOptions options, Laboratory.Work list, Laboratory.Work singly)
      throws Exception {
    double[] lists = new double[options.iterations];
    double[] singles = new double[options.iterations];
    Laboratory.warmUp(options, () -> {
      Laboratory.together(TILES, list);
      Laboratory.together(TILES, singly);
    });
    for (int i = 0; i < options.iterations; i++) {
      lists[i] = Laboratory.together(TILES, list);
      laboratory.step(what + " by list I/O");
      singles[i] = Laboratory.together(TILES, singly);
      laboratory.step(what + " row by row");
    }
    double mib = (double) TILES * ROWS * ROW_BYTES / MIB;
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", what);
    row.put("listMibPerS", mib / Laboratory.median(lists));
    row.put("singlyMibPerS", mib / Laboratory.median(singles));
    row.put("listOverSingly", Laboratory.median(singles) / Laboratory.median(lists));
    return row;
  }
}
