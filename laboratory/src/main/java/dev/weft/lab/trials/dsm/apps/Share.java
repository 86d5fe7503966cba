package dev.weft.lab.trials.dsm.apps;

/**
 * A worker's part of a range of indexes. Parts are contiguous, differ in size by at most one, and may be empty.
 *
 * @param from first index
 * @param to index after the last one
 */
record Share(int from, int to) {
  static Share of(int size, int index, int count) {
    return new Share((int) ((long) size * index / count), (int) ((long) size * (index + 1) / count));
  }

  int size() {
    return to - from;
  }

  boolean has(long index) {
    return index >= from && index < to;
  }

  /** The share of smaller items, {@code each} of which make up one of these, limited to {@code max}. */
  Share times(int each, int max) {
    return new Share(Math.min(max, from * each), Math.min(max, to * each));
  }
}
