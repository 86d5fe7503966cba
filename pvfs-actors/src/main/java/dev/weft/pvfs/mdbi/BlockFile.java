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
 * A file as an array of records that is read and written by blocks; the calls are those of PVFS 1.x. Indices count from 0; the last one goes fastest.
 *
 * <p>With an overlap, a block is read with records of its neighbours around it, and with zeros for records outside the array. It is written without
 * them, from memory of the same shape, so a program can compute in place.
 *
 * <p>With {@link #bufBlk}, several blocks are read at once and kept in a buffer without coherence. Written blocks go to the file when the program
 * uses a block outside the buffer, and at {@link #fsyncBlk} and {@link #closeBlk}. Blocks that were not written do not go back.
 *
 * <p>Any thread; calls wait for each other.
 */
public final class BlockFile implements Closeable {
  /** Maximum memory of the buffer. */
  public static final long BUFFER_BYTES_MAX = 256L << 20;

  private final PvfsFileSystem files;
  private final PvfsFile file;
  private BlockShape shape;
  /** Null without a buffer. */
  private CachedBlocks buffer;

  private BlockFile(PvfsFileSystem files, PvfsFile file) {
    this.files = files;
    this.file = file;
  }

  /** Opens a file, as {@link PvfsFileSystem#open}. */
  public static BlockFile openBlk(PvfsFileSystem files, String path, OpenOption... options) throws PvfsException {
    return new BlockFile(files, files.open(path, options));
  }

  /**
   * Sets how the file is divided into blocks. This is local and may be repeated at any time.
   *
   * @param recordBytes bytes of a record
   * @param elements records of a block, in each dimension
   * @param blocks blocks, in each dimension
   */
  public void setBlk(long recordBytes, long[] elements, long[] blocks) throws PvfsException {
    setBlk(recordBytes, elements, blocks, new long[elements.length]);
  }

  /** Sets the division with an overlap: records of its neighbours on either side of a block that is read. */
  public synchronized void setBlk(long recordBytes, long[] elements, long[] blocks, long[] overlap) throws PvfsException {
    BlockShape next = new BlockShape(recordBytes, elements, blocks, overlap);
    next.bytes(next.array()); // Throws if the array is too large for a file.
    flush();
    buffer = null;
    shape = next;
  }

  /**
   * Sets how many blocks are read and kept at once. A number beyond the array's blocks means all of them.
   *
   * @param factors blocks in each dimension; 1 in all ends the buffering
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
    buffer = Arrays.stream(count).allMatch(each -> each == 1) ? null : new CachedBlocks(file, now, count, files.allocate(bytes));
  }

  private BlockShape shape() {
    if (shape == null) {
      throw new IllegalStateException("blocks are used before setBlk has said what they are");
    }
    return shape;
  }

  /** Returns the bytes of memory of a block with its overlap. */
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

  /** Reads a block; bytes that the file does not have are zeros. */
  public synchronized void readBlk(MemorySegment to, long... index) throws PvfsException {
    BlockShape now = checked(to, index);
    if (buffer != null) {
      buffer.read(to, index);
    } else {
      new CachedBlocks(file, now, ones(now), to).load(index);
    }
  }

  /** Writes a block, without its overlap. */
  public synchronized void writeBlk(MemorySegment from, long... index) throws PvfsException {
    BlockShape now = checked(from, index);
    if (buffer != null) {
      buffer.write(from, index);
    } else {
      new CachedBlocks(file, now, ones(now), from).store(index, index);
    }
  }

  private void flush() throws PvfsException {
    if (buffer != null) {
      buffer.flush();
    }
  }

  /** Writes the changed blocks of the buffer; returns when they are on the disks of the daemons. */
  public synchronized void fsyncBlk() throws PvfsException {
    flush();
    file.sync();
  }

  /** Writes the changed blocks of the buffer and closes the file. An interrupt does not end this. */
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
