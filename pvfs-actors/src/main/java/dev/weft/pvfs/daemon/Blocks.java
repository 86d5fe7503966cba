package dev.weft.pvfs.daemon;

import dev.weft.pvfs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** Reads blocks of local objects, and compares them with their checksums. One thread. */
final class Blocks {
  /** Cost of a block without data in a scrub, in bytes: only its checksum is looked up. */
  private static final int HOLE_COST = 64;

  private final int run;
  private final DiskCounters counters;
  private final Consumer<String> log;
  private final CRC32C crc = new CRC32C();
  /** The block of the last {@link #load}. */
  final MemorySegment block = Arena.ofAuto().allocate(Sums.BLOCK_BYTES, 4096);

  /**
   * @param run of the daemon
   * @param log gets reports of damage
   */
  Blocks(int run, DiskCounters counters, Consumer<String> log) {
    this.run = run;
    this.counters = counters;
    this.log = log;
  }

  int sumOf(MemorySegment data) {
    return Sums.of(crc, data);
  }

  /** Reads the block at {@code start} into {@link #block}, followed by zeros; returns its bytes. */
  int load(LocalObject object, long start) {
    int had = object.data.read(start, block);
    block.asSlice(had).fill((byte) 0);
    counters.bytesRead.addAndGet(had);
    return had;
  }

  void check(LocalObject object, long index, MemorySegment data) {
    if (!isGood(object, index, data)) {
      throw bad(object, index);
    }
  }

  DiskException bad(LocalObject object, long index) {
    counters.checksumErrors.incrementAndGet();
    String message = "block " + index + " of object " + object.number + " (bytes " + index * Sums.BLOCK_BYTES + " to "
        + (index * Sums.BLOCK_BYTES + Sums.BLOCK_BYTES - 1) + ") is not what was written: its checksum is wrong";
    log.accept(message);
    return new DiskException(Errno.EIO, message);
  }

  /** Whether a block matches its checksum; a block without one gets it now. */
  boolean isGood(LocalObject object, long index, MemorySegment data) {
    int found = sumOf(data);
    long entry = object.sums.get(index);
    if (!Sums.isKnown(entry, run)) {
      object.sums.put(index, Sums.dirty(found, run));
      object.isUnsynced = true;
      return true;
    }
    return Sums.fits(entry, run, found);
  }

  // Scrubs.

  /**
   * Compares blocks with their checksums: blocks with data, and blocks with a checksum, since their data may be lost. Ranges with neither cost
   * nothing, however long they are.
   *
   * @param object null if there is none
   * @param most bytes to read, rounded up to a block
   */
  Scrubbed scrub(LocalObject object, long offset, long most) {
    long end = object == null ? 0 : object.fileBytes;
    long at = offset / Sums.BLOCK_BYTES * Sums.BLOCK_BYTES;
    long bad = 0;
    for (long left = most; at < end && left > 0;) {
      long data = nextBlock(object, at, end);
      if (at == data) {
        int had = load(object, at);
        bad += found(object, at, isGood(object, at / Sums.BLOCK_BYTES, block.asSlice(0, had)));
        at += Sums.BLOCK_BYTES;
        left -= Sums.BLOCK_BYTES;
      }
      while (at < data && left > 0) {
        at = object.sums.next(at / Sums.BLOCK_BYTES, (data - 1) / Sums.BLOCK_BYTES + 1) * Sums.BLOCK_BYTES;
        if (at < data) {
          bad += found(object, at, Sums.fits(object.sums.get(at / Sums.BLOCK_BYTES), run, StripeMemory.SUM_OF_ZEROS));
          at += Sums.BLOCK_BYTES;
          left -= HOLE_COST;
        }
      }
    }
    return new Scrubbed(bad, at < end ? at : 0);
  }

  /** Returns where the first block with data begins; {@code end} if there is none before, or if the file was cut. */
  private static long nextBlock(LocalObject object, long at, long end) {
    long data = object.data.nextData(at);
    return data >= at && data < end ? data / Sums.BLOCK_BYTES * Sums.BLOCK_BYTES : end;
  }

  private int found(LocalObject object, long at, boolean isGood) {
    if (!isGood) {
      bad(object, at / Sums.BLOCK_BYTES);
    }
    return isGood ? 0 : 1;
  }
}
