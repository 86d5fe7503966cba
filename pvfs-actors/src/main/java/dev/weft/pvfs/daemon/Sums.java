package dev.weft.pvfs.daemon;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The entry of a block of an object: 8 bytes with its CRC32C and a tag, which tells whether the disk must have exactly that data.
 *
 * <ul>
 * <li>{@code NONE}, all zeros: nothing is known; any data is accepted.
 * <li>{@code CLEAN}: the disk has exactly that data, now and after a crash. Written after a sync of the data, and durably removed before the data
 * changes.
 * <li>{@code DIRTY} of this run of the daemon: the file has exactly that data. After a crash the run is different, and nothing is known.
 * <li>{@code UNKNOWN}: a write failed halfway; as {@code NONE}.
 * </ul>
 *
 * <p>The checksum is that of a whole block, with zeros beyond the end of the file.
 */
final class Sums {
  static final int BLOCK_BYTES = 64 << 10;
  static final int ENTRY_BYTES = 8;
  /** Entries are read and written in pages, each for 32 MiB of data. */
  static final int PAGE_BYTES = 4096;
  static final int PAGE_ENTRIES = PAGE_BYTES / ENTRY_BYTES;

  static final long NONE = 0;
  private static final int MAGIC = 0xc5 << 24;
  private static final int MAGIC_MASK = 0xff << 24;
  private static final int STATE_SHIFT = 22;
  private static final int CLEAN = 1;
  private static final int DIRTY = 2;
  private static final int UNKNOWN = 3;
  /** Entries distinguish runs by so many bits. */
  static final int RUN_MASK = (1 << STATE_SHIFT) - 1;

  private static final MemorySegment ZEROS = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(BLOCK_BYTES)).asReadOnly();

  private Sums() {}

  static long clean(int crc) {
    return entry(MAGIC | CLEAN << STATE_SHIFT, crc);
  }

  static long dirty(int crc, int run) {
    return entry(MAGIC | DIRTY << STATE_SHIFT | run & RUN_MASK, crc);
  }

  static long unknown() {
    return entry(MAGIC | UNKNOWN << STATE_SHIFT, 0);
  }

  private static long entry(int tag, int crc) {
    return (long) tag << 32 | crc & 0xffff_ffffL;
  }

  static int crc(long entry) {
    return (int) entry;
  }

  private static int state(long entry) {
    return (int) (entry >>> 32) >>> STATE_SHIFT & 3;
  }

  /** Whether it is a valid entry. */
  static boolean isWhole(long entry) {
    return entry == NONE || ((int) (entry >>> 32) & MAGIC_MASK) == MAGIC && state(entry) != 0;
  }

  static boolean isClean(long entry) {
    return entry != NONE && state(entry) == CLEAN;
  }

  /** Whether it is a dirty entry of this run. */
  static boolean isDirty(long entry, int run) {
    return entry != NONE && state(entry) == DIRTY && ((int) (entry >>> 32) & RUN_MASK) == (run & RUN_MASK);
  }

  /** Whether the block must have this checksum; an invalid entry never matches. */
  static boolean isKnown(long entry, int run) {
    return isClean(entry) || isDirty(entry, run) || !isWhole(entry);
  }

  /** Whether a block with this checksum matches the entry. */
  static boolean fits(long entry, int run, int crc) {
    return !isKnown(entry, run) || isWhole(entry) && crc(entry) == crc;
  }

  /** Returns the checksum of a block that begins with {@code data}, followed by zeros. */
  static int of(CRC32C crc, MemorySegment data) {
    crc.reset();
    crc.update(data.asByteBuffer());
    int rest = BLOCK_BYTES - (int) data.byteSize();
    if (rest > 0) {
      crc.update(ZEROS.asSlice(0, rest).asByteBuffer());
    }
    return (int) crc.getValue();
  }
}
