package dev.weft.pvfs.types;

import java.util.Arrays;

/** Pieces in order, neighbours joined: offsets and bytes. */
public final class Regions {
  private long[] offsets = new long[16];
  private long[] lengths = new long[16];
  private int count;
  private long bytes;

  /** Adds a piece behind the others; empty ones are left out. */
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

  /** Of all pieces. */
  public long bytes() {
    return bytes;
  }

  public long offset(int i) {
    return offsets[i];
  }

  public long length(int i) {
    return lengths[i];
  }

  /** The offsets of all, a copy. */
  public long[] offsets() {
    return Arrays.copyOf(offsets, count);
  }

  /** The lengths of all, a copy. */
  public long[] lengths() {
    return Arrays.copyOf(lengths, count);
  }
}
