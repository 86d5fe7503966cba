package dev.weft.pvfs.wire;

import java.util.Arrays;

/** A bounded list of ranges in order, reusable without garbage: offset and bytes of each; for memory also the key. */
public final class Ranges {
  /** Initial capacity: most requests have few ranges. */
  private static final int FEW = 4;
  private static final int MANY = 64;
  private final int max;
  private long[] offsets;
  private int[] bytes;
  private int[] keys;
  private int count;
  private long total;
  private long begin = Long.MAX_VALUE;
  private long end;
  /** No range begins before the end of its predecessor. */
  private boolean isAscending = true;

  /** @param max maximum number of ranges */
  public Ranges(int max) {
    this.max = max;
    room(Math.min(max, FEW));
  }

  private void room(int ranges) {
    offsets = offsets == null ? new long[ranges] : Arrays.copyOf(offsets, ranges);
    bytes = bytes == null ? new int[ranges] : Arrays.copyOf(bytes, ranges);
    keys = keys == null ? new int[ranges] : Arrays.copyOf(keys, ranges);
  }

  public void clear() {
    count = 0;
    total = 0;
    begin = Long.MAX_VALUE;
    end = 0;
    isAscending = true;
    if (offsets.length > MANY) { // Frees them, since this object lives long and few requests have so many ranges.
      offsets = null;
      bytes = null;
      keys = null;
      room(Math.min(max, FEW));
    }
  }

  /** Whether it is full. */
  public boolean isFull() {
    return count == max;
  }

  /** Adds a range of a file; as {@link #add(long, int, int)} with key 0. */
  public boolean add(long offset, int length) {
    return add(offset, length, 0);
  }

  /** Adds a range, or extends the last one if this one follows it directly. Returns false and changes nothing if there is no room. */
  public boolean add(long offset, int length, int key) {
    if (count > 0 && keys[count - 1] == key && offsets[count - 1] + bytes[count - 1] == offset && bytes[count - 1] + (long) length <= Integer.MAX_VALUE) {
      bytes[count - 1] += length;
      total += length;
      end = Math.max(end, offset + length);
      return true;
    }
    if (count == max) {
      return false;
    }
    if (count == offsets.length) {
      room(Math.min(max, 2 * count));
    }
    isAscending &= count == 0 || offsets[count - 1] + bytes[count - 1] <= offset;
    offsets[count] = offset;
    bytes[count] = length;
    keys[count++] = key;
    total += length;
    begin = Math.min(begin, offset);
    end = Math.max(end, offset + length);
    return true;
  }

  public int count() {
    return count;
  }

  /** Returns the bytes of all ranges. */
  public long totalBytes() {
    return total;
  }

  public long offset(int i) {
    return offsets[i];
  }

  public int bytes(int i) {
    return bytes[i];
  }

  public int key(int i) {
    return keys[i];
  }

  /** Returns the end of the furthest range; 0 if there is none. */
  public long end() {
    return end;
  }

  /** Whether a range of a file shares a byte with any of these. */
  public boolean touches(long offset, int length) {
    if (offset >= end || offset + length <= begin) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      if (offset < offsets[i] + bytes[i] && offsets[i] < offset + length) {
        return true;
      }
    }
    return false;
  }

  /** Whether the two lists share a byte of a file. Also returns true if their extents overlap and an exact answer would take much work. */
  public boolean overlaps(Ranges other) {
    if (begin >= other.end || other.begin >= end) {
      return false;
    }
    if (isAscending && other.isAscending) {
      return meets(other);
    }
    if ((long) count * other.count > MANY * MANY) {
      return true;
    }
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < other.count; j++) {
        if (offsets[i] < other.offsets[j] + other.bytes[j] && other.offsets[j] < offsets[i] + bytes[i]) {
          return true;
        }
      }
    }
    return false;
  }

  /** As {@link #overlaps}, for two ascending lists. */
  private boolean meets(Ranges other) {
    int i = 0;
    int j = 0;
    while (i < count && j < other.count) {
      if (offsets[i] + bytes[i] <= other.offsets[j]) {
        i++;
      } else if (other.offsets[j] + other.bytes[j] <= offsets[i]) {
        j++;
      } else {
        return true;
      }
    }
    return false;
  }

  public void copyFrom(Ranges other) {
    count = other.count;
    total = other.total;
    begin = other.begin;
    end = other.end;
    isAscending = other.isAscending;
    if (count > offsets.length) {
      room(other.offsets.length);
    }
    System.arraycopy(other.offsets, 0, offsets, 0, count);
    System.arraycopy(other.bytes, 0, bytes, 0, count);
    System.arraycopy(other.keys, 0, keys, 0, count);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ", ").append(offsets[i]).append('+').append(bytes[i]);
    }
    return text.append(']').toString();
  }
}
