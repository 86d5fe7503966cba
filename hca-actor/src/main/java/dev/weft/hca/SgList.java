package dev.weft.hca;

import java.util.Arrays;

/** A scatter/gather list: address, length and lkey per element. Reusable; not thread safe. */
class SgList {
  long[] addresses = new long[1];
  int[] lengths = new int[1];
  int[] lkeys = new int[1];
  int count;

  void clear() {
    count = 0;
  }

  void add(long address, int lengthBytes, int lkey) {
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

  long totalBytes() {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += lengths[i];
    }
    return total;
  }

  void copyFrom(SgList other) {
    count = 0;
    for (int i = 0; i < other.count; i++) {
      add(other.addresses[i], other.lengths[i], other.lkeys[i]);
    }
  }
}
