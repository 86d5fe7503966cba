package dev.weft.pager.memory;

import java.util.Arrays;

/**
 * A first-fit allocator for ranges of one memory area. It merges a freed range with its free neighbours (HPBD section 4.3.2). It works only with offsets
 * and never touches the memory. Invariant: free ranges are sorted, do not overlap and are not adjacent. Not thread safe.
 */
public final class RegionAllocator {
  /** Result of {@link #allocate} when no free range is long enough. */
  public static final long NONE = -1;

  private final long sizeBytes;
  private final long granuleBytes;
  private long[] starts = new long[16];
  private long[] lengths = new long[16];
  private int count;
  private long freeBytes;

  /**
   * Creates an allocator for an area that is completely free.
   *
   * @param granuleBytes the length of each range is rounded up to a multiple of this
   */
  public RegionAllocator(long sizeBytes, long granuleBytes) {
    if (granuleBytes < 1 || sizeBytes < granuleBytes || sizeBytes % granuleBytes != 0) {
      throw new IllegalArgumentException("size " + sizeBytes + " must be a positive multiple of the granule, " + granuleBytes);
    }
    this.sizeBytes = sizeBytes;
    this.granuleBytes = granuleBytes;
    this.starts[0] = 0;
    this.lengths[0] = sizeBytes;
    this.count = 1;
    this.freeBytes = sizeBytes;
  }

  private long rounded(long lengthBytes) {
    if (lengthBytes < 1 || lengthBytes > sizeBytes) {
      throw new IllegalArgumentException("length is " + lengthBytes + ", must be 1 to " + sizeBytes);
    }
    return (lengthBytes + granuleBytes - 1) / granuleBytes * granuleBytes;
  }

  /** Allocates the start of the first free range that is long enough; returns its offset, or {@link #NONE}. */
  public long allocate(long lengthBytes) {
    long need = rounded(lengthBytes);
    for (int i = 0; i < count; i++) {
      if (lengths[i] >= need) {
        long start = starts[i];
        starts[i] += need;
        lengths[i] -= need;
        freeBytes -= need;
        if (lengths[i] == 0) {
          removeAt(i);
        }
        return start;
      }
    }
    return NONE;
  }

  /** Whether {@link #allocate} would succeed. */
  public boolean fits(long lengthBytes) {
    long need = rounded(lengthBytes);
    for (int i = 0; i < count; i++) {
      if (lengths[i] >= need) {
        return true;
      }
    }
    return false;
  }

  /** Frees a range, with the length that was passed to {@link #allocate}. Throws if a part of it is already free or outside the area. */
  public void free(long start, long lengthBytes) {
    long length = rounded(lengthBytes);
    if (start < 0 || start % granuleBytes != 0 || start > sizeBytes - length) {
      throw new IllegalArgumentException("range " + start + "+" + length + " is not one of an area of " + sizeBytes);
    }
    int at = Arrays.binarySearch(starts, 0, count, start);
    int next = at < 0 ? -at - 1 : at;
    boolean overlapsNext = next < count && starts[next] < start + length;
    boolean overlapsPrevious = next > 0 && starts[next - 1] + lengths[next - 1] > start;
    if (overlapsNext || overlapsPrevious) {
      throw new IllegalStateException("range " + start + "+" + length + " is free already, at least in part");
    }
    merge(next, start, length);
    freeBytes += length;
  }

  private void merge(int next, long start, long length) {
    boolean touchesPrevious = next > 0 && starts[next - 1] + lengths[next - 1] == start;
    boolean touchesNext = next < count && start + length == starts[next];
    if (touchesPrevious && touchesNext) {
      lengths[next - 1] += length + lengths[next];
      removeAt(next);
    } else if (touchesPrevious) {
      lengths[next - 1] += length;
    } else if (touchesNext) {
      starts[next] = start;
      lengths[next] += length;
    } else {
      insertAt(next, start, length);
    }
  }

  private void removeAt(int index) {
    System.arraycopy(starts, index + 1, starts, index, count - index - 1);
    System.arraycopy(lengths, index + 1, lengths, index, count - index - 1);
    count--;
  }

  private void insertAt(int index, long start, long length) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
    }
    System.arraycopy(starts, index, starts, index + 1, count - index);
    System.arraycopy(lengths, index, lengths, index + 1, count - index);
    starts[index] = start;
    lengths[index] = length;
    count++;
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  public long freeBytes() {
    return freeBytes;
  }

  /** The length of the longest free range; 0 if nothing is free. */
  public long largestFreeBytes() {
    long largest = 0;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, lengths[i]);
    }
    return largest;
  }

  /** The number of free ranges. */
  public int fragments() {
    return count;
  }
}
