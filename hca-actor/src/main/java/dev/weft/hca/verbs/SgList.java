package dev.weft.hca.verbs;

import java.util.Arrays;

/** A scatter/gather list: address, length and lkey of each element. Reusable; not thread safe. */
public final class SgList {
  private long[] addresses = new long[1];
  private int[] lengths = new int[1];
  private int[] lkeys = new int[1];
  private int count;

  /** The number of elements. */
  public int count() {
    return count;
  }

  /** The first address of an element, in the address space of its region. */
  public long address(int element) {
    return addresses[element];
  }

  /** Length of an element in bytes. */
  public int length(int element) {
    return lengths[element];
  }

  public int lkey(int element) {
    return lkeys[element];
  }

  public void clear() {
    count = 0;
  }

  /** Adds an element; EINVAL for a negative length. */
  public void add(long address, int lengthBytes, int lkey) {
    if (lengthBytes < 0) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "scatter/gather length " + lengthBytes + " is negative");
    }
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, count * 2);
      lengths = Arrays.copyOf(lengths, count * 2);
      lkeys = Arrays.copyOf(lkeys, count * 2);
    }
    addresses[count] = address;
    lengths[count] = lengthBytes;
    lkeys[count++] = lkey;
  }

  public long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  public void copyFrom(SgList other) {
    count = 0;
    for (int i = 0; i < other.count; i++) {
      add(other.addresses[i], other.lengths[i], other.lkeys[i]);
    }
  }
}
