package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** mpi-tile-io (seed 002 section 6.8): four compute nodes, each with a tile of a file of 2 x 2 tiles, on four I/O nodes. */
final class Tiles {
  private static final int NODES = 4;
  private static final int TILES_ACROSS = 2;
  private static final int ROWS = 768;
  private static final int ROW_BYTES = 1024 * 24;
  /** Rows in one call of list I/O. */
  static final int LISTED = 64;

  private Tiles() {}

  /**
   * Writes and reads a part of the tiles.
   *
   * @param listed rows in one access; 1 without list I/O
   * @param rows of each tile, from the top, at most 768
   */
  static Contiguous.Result run(HardwareProfile profile, long seed, Transport transport, Files files, int listed, int rows) {
    try (FileCluster cluster = new FileCluster(profile, seed, new Setup(transport, files, NODES, NODES))) {
      List<MemorySegment> memory = cluster.compute().stream().map(node -> node.memory((long) rows * ROW_BYTES)).toList();
      cluster.run(accesses(true, ROWS, rows, memory)); // Registers the buffers, as large as they are.
      Took write = cluster.run(accesses(true, listed, rows, memory));
      return new Contiguous.Result(write, cluster.run(accesses(false, listed, rows, memory)));
    }
  }

  private static List<List<Access>> accesses(boolean isWrite, int listed, int rows, List<MemorySegment> memory) {
    List<List<Access>> all = new ArrayList<>();
    for (int rank = 0; rank < NODES; rank++) {
      List<Access> own = new ArrayList<>();
      for (int row = 0; row < rows; row += listed) {
        own.add(rows(isWrite, rank, row, Math.min(listed, rows - row), memory.get(rank)));
      }
      all.add(own);
    }
    return all;
  }

  private static Access rows(boolean isWrite, int rank, int first, int count, MemorySegment memory) {
    long[] offsets = new long[count];
    long[] lengths = new long[count];
    for (int i = 0; i < count; i++) {
      long rowOfFile = (long) rank / TILES_ACROSS * ROWS + first + i;
      offsets[i] = (rowOfFile * TILES_ACROSS + rank % TILES_ACROSS) * ROW_BYTES;
      lengths[i] = ROW_BYTES;
    }
    return new Access(isWrite, offsets, lengths, memory.asSlice((long) first * ROW_BYTES, (long) count * ROW_BYTES));
  }
}
