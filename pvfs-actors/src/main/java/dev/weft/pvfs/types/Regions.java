package dev.weft.pvfs.types;

import java.util.Arrays;

/** A list of pieces in order, as offsets and lengths in bytes. Adjacent pieces are joined. */
public final class Regions {
  private long[] offsets = new long[16];
  private long[] lengths = new long[16];
  private int count;
  private long bytes;

  /** Adds a piece at the end; an empty piece is ignored. */
  public void add(long offset, long length) {
    if (length == 0) {
      return;
    }
    bytes += length;
    if (count > 0 && offsets[count - 1] + lengths[count - 1] == offset) {
      lengths[count - 1] += length;
      return;
    }
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
    }
    offsets[count] = offset;
    lengths[count++] = length;
  }

  public int count() {
    return count;
  }

  /** Returns the bytes of all pieces together. */
  public long bytes() {
    return bytes;
  }

  public long offset(int i) {
    return offsets[i];
  }

  public long length(int i) {
    return lengths[i];
  }

  /** Returns a copy of all offsets. */
  public long[] offsets() {
    return Arrays.copyOf(offsets, count);
  }

  /** Returns a copy of all lengths. */
  public long[] lengths() {
    return Arrays.copyOf(lengths, count);
  }
}
