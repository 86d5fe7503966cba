package dev.weft.pvfs.wire;

import java.util.Arrays;

/** Up to a number of ranges, in order, without garbage: offsets and bytes; of memory also the key. */
public final class Ranges {
  /** That there is room for at first: most requests have few. */
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
  /** None begins before the end of the one before it. */
  private boolean isAscending = true;

  /** @param max ranges that it holds */
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
    if (offsets.length > MANY) { // Whoever has it keeps it: few requests have so many.
      offsets = null;
      bytes = null;
      keys = null;
      room(Math.min(max, FEW));
    }
  }

  /** Whether there is no room for another one. */
  public boolean isFull() {
    return count == max;
  }

  /** Adds a range of a file; the rest as {@link #add(long, int, int)}. */
  public boolean add(long offset, int length) {
    return add(offset, length, 0);
  }

  /** Adds a range, or makes the last one longer where this one follows it. False, and nothing is done, where there is no room. */
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

  /** Of all together. */
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

  /** End of the range that reaches furthest; 0 if there is none. */
  public long end() {
    return end;
  }

  /** Whether a byte of a file is in one of them already. */
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

  /** Whether a byte of a file is in both; also true where that would be much work to find out, and they reach over each other. */
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

  /** Both ascend. */
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
