package dev.weft.pvfs.mdbi;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Arrays of 12 x 20 records of 4 bytes, each with its number. */
@Tag("slow")
@Tag("actor")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BlockFileTest {
  private static final int ROWS = 12;
  private static final int COLUMNS = 20;
  private static final long[] ELEMENTS = {3, 5};
  private static final long[] BLOCKS = {4, 4};
  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private final PvfsFileSystem files = cluster.connect(Caller.ROOT);
  private String path;
  private int number;

  @BeforeEach
  void write() throws Exception {
    path = "/array" + number++;
    MemorySegment all = Arena.ofAuto().allocate(ROWS * COLUMNS * 4L, 4);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
      all.setAtIndex(ValueLayout.JAVA_INT, i, i + 1);
    }
    try (PvfsFile file = files.open(path, CREATE, WRITE)) {
      file.write(all, 0);
    }
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private static MemorySegment memory(BlockFile file) {
    return Arena.ofAuto().allocate(file.blockBytes(), 4);
  }

  private int record(int row, int column) throws Exception {
    MemorySegment one = Arena.ofAuto().allocate(4, 4);
    try (PvfsFile file = files.open(path)) {
      file.read(one, (row * COLUMNS + column) * 4L);
    }
    return one.get(ValueLayout.JAVA_INT, 0);
  }

  /** What a block has with an overlap around it: zeros outside of the array. */
  private static void assertBlock(MemorySegment block, int blockRow, int blockColumn, int overlap) {
    for (int row = 0; row < 3 + 2 * overlap; row++) {
      for (int column = 0; column < 5 + 2 * overlap; column++) {
        int r = blockRow * 3 + row - overlap;
        int c = blockColumn * 5 + column - overlap;
        int expected = r < 0 || c < 0 || r >= ROWS || c >= COLUMNS ? 0 : r * COLUMNS + c + 1;
        assertEquals(expected, block.getAtIndex(ValueLayout.JAVA_INT, row * (5L + 2 * overlap) + column), "row " + r + " column " + c);
      }
    }
  }

  @Test
  void shouldWriteItsBufferWhenItIsClosedByAThreadThatIsInterrupted() throws Exception {
    BlockFile file = BlockFile.openBlk(files, path, READ, WRITE);
    file.setBlk(4, ELEMENTS, BLOCKS);
    file.bufBlk(1, 4);
    file.writeBlk(memory(file).fill((byte) 0), 0, 0);
    cluster.pauseHardware(files);
    Thread.currentThread().interrupt();
    file.closeBlk();
    assertTrue(Thread.interrupted(), "the interrupt is still there");
    assertEquals(0, record(0, 0));
    assertEquals(6, record(0, 5), "of the next block");
  }

  @Test
  void shouldReadAndWriteBlocks() throws Exception {
    try (BlockFile file = BlockFile.openBlk(files, path, READ, WRITE)) {
      assertThrows(IllegalStateException.class, () -> file.readBlk(MemorySegment.NULL, 0, 0));
      file.setBlk(4, ELEMENTS, BLOCKS);
      MemorySegment block = memory(file);
      for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
          file.readBlk(block, row, column);
          assertBlock(block, row, column, 0);
        }
      }
      block.fill((byte) 0);
      file.writeBlk(block, 3, 1);
      assertEquals(0, record(9, 5));
      assertEquals(9 * COLUMNS + 10 + 1, record(9, 10), "the next block is as it was");
      assertTrue(assertThrows(IllegalArgumentException.class, () -> file.readBlk(block, 4, 0)).getMessage().contains("must be from 0 to 3"));
      assertThrows(IllegalArgumentException.class, () -> file.readBlk(block, 1));
      assertThrows(IllegalArgumentException.class, () -> file.readBlk(block.asSlice(4), 1, 1));
      assertThrows(IllegalArgumentException.class, () -> file.setBlk(4, new long[] {0}, new long[] {1}));
      assertThrows(ArithmeticException.class, () -> file.setBlk(4, new long[] {1L << 40}, new long[] {1L << 40}));
    }
  }

  @Test
  void shouldReadBlocksWithRecordsOfTheirNeighbours() throws Exception {
    try (BlockFile file = BlockFile.openBlk(files, path, READ, WRITE)) {
      file.setBlk(4, ELEMENTS, BLOCKS, new long[] {2, 2});
      MemorySegment block = memory(file);
      for (int row = 0; row < 4; row++) {
        file.readBlk(block, row, 3);
        assertBlock(block, row, 3, 2);
      }
      block.fill((byte) 0);
      file.writeBlk(block, 1, 1);
      assertEquals(0, record(3, 5));
      assertEquals(2 * COLUMNS + 5 + 1, record(2, 5), "what overlaps is not written");
    }
  }

  @Test
  void shouldReadManyBlocksAtOnceAndWriteThemBackLater() throws Exception {
    try (BlockFile file = BlockFile.openBlk(files, path, READ, WRITE)) {
      file.setBlk(4, ELEMENTS, BLOCKS, new long[] {1, 1});
      file.bufBlk(2, 100);
      MemorySegment block = memory(file);
      long before = bytesRead();
      for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
          file.readBlk(block, row, column);
          assertBlock(block, row, column, 1);
        }
      }
      assertEquals(2 * 7 * 20 * 4, bytesRead() - before, "two buffers of 6 rows and one that overlaps, whole rows");
      block.fill((byte) 0);
      file.writeBlk(block, 2, 2);
      assertTrue(record(6, 10) != 0, "not yet");
      file.readBlk(block, 2, 1);
      assertEquals(0, block.getAtIndex(ValueLayout.JAVA_INT, 7 + 6), "the buffer knows");
      file.readBlk(block, 0, 0);
      assertEquals(0, record(6, 10), "another buffer was wanted");
      block.fill((byte) 0);
      file.writeBlk(block, 0, 0);
      file.fsyncBlk();
      assertEquals(0, record(0, 0));
      block.fill((byte) 0);
      file.writeBlk(block, 0, 1);
    }
    assertEquals(0, record(0, 5), "closed");
    assertEquals(11, record(0, 10));
  }

  private long bytesRead() {
    ClientSnapshot snapshot = cluster.snapshot(files);
    return snapshot.bytesRead();
  }

  @Test
  void shouldHaveMoreDimensions() throws Exception {
    try (BlockFile file = BlockFile.openBlk(files, "/cube", CREATE, READ, WRITE)) {
      file.setBlk(2, new long[] {2, 3, 4}, new long[] {3, 2, 2});
      MemorySegment block = memory(file);
      for (int i = 0; i < 12; i++) {
        file.writeBlk(block.fill((byte) (i + 1)), i / 4, i / 2 % 2, i % 2);
      }
      for (int i = 0; i < 12; i++) {
        file.readBlk(block, i / 4, i / 2 % 2, i % 2);
        assertEquals(-1, block.mismatch(memory(file).fill((byte) (i + 1))));
      }
      assertEquals(6 * 6 * 8 * 2, files.size("/cube"));
    }
  }
}
