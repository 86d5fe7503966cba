package dev.weft.pvfs.mdbi;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import java.io.Closeable;
import java.lang.foreign.MemorySegment;
import java.nio.file.OpenOption;
import java.util.Arrays;

/**
 * A file as an array of records, which is read and written by blocks; the calls are those of PVFS 1.x. A block goes in list requests, its rows being the
 * pieces. Indices count from 0, and the last one goes fastest.
 *
 * <p>With an overlap a block is read with records of its neighbours around it; what would lie outside of the array is zeros. It is written without them, from
 * memory of the same shape, so that a program can compute in place.
 *
 * <p>With {@link #bufBlk} several blocks are read at once and kept: this is a cache without coherence. What is written goes to the file when a block outside is
 * used, and by {@link #fsyncBlk} and {@link #closeBlk}; only blocks that were written do.
 *
 * <p>Any thread; one waits for the other.
 */
public final class BlockFile implements Closeable {
  /** Memory of a buffer. */
  public static final long BUFFER_BYTES_MAX = 256L << 20;

  private final PvfsFileSystem files;
  private final PvfsFile file;
  private BlockShape shape;
  /** Null without one. */
  private SuperBlock buffer;

  private BlockFile(PvfsFileSystem files, PvfsFile file) {
    this.files = files;
    this.file = file;
  }

  /** Opens a file, as {@link PvfsFileSystem#open}. */
  public static BlockFile openBlk(PvfsFileSystem files, String path, OpenOption... options) throws PvfsException {
    return new BlockFile(files, files.open(path, options));
  }

  /**
   * Says how the file is an array; as often as wanted, nobody is asked.
   *
   * @param recordBytes bytes of a record
   * @param elements records of a block, in each dimension
   * @param blocks blocks, in each dimension
   */
  public void setBlk(long recordBytes, long[] elements, long[] blocks) throws PvfsException {
    setBlk(recordBytes, elements, blocks, new long[elements.length]);
  }

  /** The same, with records of its neighbours on either side of a block that is read. */
  public synchronized void setBlk(long recordBytes, long[] elements, long[] blocks, long[] overlap) throws PvfsException {
    BlockShape next = new BlockShape(recordBytes, elements, blocks, overlap);
    next.bytes(next.array()); // Throws if it is too much for a file.
    flush();
    buffer = null;
    shape = next;
  }

  /**
   * Reads and keeps so many blocks at once; what is more than there are blocks is taken for all of them.
   *
   * @param factors blocks in each dimension; 1 in all ends it
   */
  public synchronized void bufBlk(long... factors) throws PvfsException {
    BlockShape now = shape();
    if (factors.length != now.blocks().length) {
      throw new IllegalArgumentException("a buffer of " + Arrays.toString(factors) + " blocks for " + now.blocks().length + " dimensions");
    }
    long[] count = new long[factors.length];
    for (int i = 0; i < count.length; i++) {
      count[i] = Math.clamp(factors[i], 1, now.blocks()[i]);
    }
    long bytes = now.bytes(now.withOverlap(count));
    if (bytes > BUFFER_BYTES_MAX) {
      throw new IllegalArgumentException("a buffer of " + bytes + " bytes, may have " + BUFFER_BYTES_MAX + "; fewer blocks at once would be right");
    }
    flush();
    buffer = Arrays.stream(count).allMatch(each -> each == 1) ? null : new SuperBlock(file, now, count, files.allocate(bytes));
  }

  private BlockShape shape() {
    if (shape == null) {
      throw new IllegalStateException("blocks are used before setBlk has said what they are");
    }
    return shape;
  }

  /** Bytes of memory of a block, with what overlaps. */
  public synchronized long blockBytes() {
    BlockShape now = shape();
    return now.bytes(now.withOverlap(ones(now)));
  }

  private static long[] ones(BlockShape of) {
    long[] ones = new long[of.blocks().length];
    Arrays.fill(ones, 1);
    return ones;
  }

  private BlockShape checked(MemorySegment memory, long[] index) {
    BlockShape now = shape();
    now.check(index);
    if (memory.byteSize() != blockBytes()) {
      throw new IllegalArgumentException(memory.byteSize() + " bytes of memory for a block of " + blockBytes());
    }
    return now;
  }

  /** Reads a block; what the file has not is zeros. */
  public synchronized void readBlk(MemorySegment to, long... index) throws PvfsException {
    BlockShape now = checked(to, index);
    if (buffer != null) {
      buffer.read(to, index);
    } else {
      new SuperBlock(file, now, ones(now), to).load(index);
    }
  }

  /** Writes a block, without what overlaps. */
  public synchronized void writeBlk(MemorySegment from, long... index) throws PvfsException {
    BlockShape now = checked(from, index);
    if (buffer != null) {
      buffer.write(from, index);
    } else {
      new SuperBlock(file, now, ones(now), from).store(index, index);
    }
  }

  private void flush() throws PvfsException {
    if (buffer != null) {
      buffer.flush();
    }
  }

  /** Writes what is in the buffer, and returns when it is on the disks of the daemons. */
  public synchronized void fsyncBlk() throws PvfsException {
    flush();
    file.sync();
  }

  /** Writes what is in the buffer, and closes the file; no interrupt ends that. */
  public synchronized void closeBlk() throws PvfsException {
    try {
      if (!file.isClosed()) {
        Interrupts.putAside(() -> {
          flush();
          return null;
        });
      }
    } finally {
      buffer = null;
      file.close();
    }
  }

  @Override
  public void close() throws PvfsException {
    closeBlk();
  }
}
