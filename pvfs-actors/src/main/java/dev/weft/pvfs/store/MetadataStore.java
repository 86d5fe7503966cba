package dev.weft.pvfs.store;

import java.util.Arrays;
import java.util.List;

/**
 * Ordered keys and values with atomic batches. Keys are compared byte by byte, unsigned. Each method throws {@link StoreException} if the store
 * cannot be read, or is closed. One thread, except {@link #close}.
 */
public interface MetadataStore extends AutoCloseable {
  /** A key and its value; do not modify them. */
  record Entry(byte[] key, byte[] value) {}

  /** Maximum number of entries of one scan. */
  int SCAN_MAX = 4096;

  /** Returns the value, or null if there is none. */
  byte[] get(byte[] key);

  /**
   * Writes all of the batch. With {@code sync}, it and all earlier batches are on disk when this returns. Without, a crash may undo it together with
   * all later ones, but never a part of it.
   *
   * @throws StoreException if it was not written: then no later read sees any of it. The store is either unchanged and usable, or closed;
   *     {@link #isOpen} tells. In the second case the whole batch may be there when the store is opened again
   */
  void commit(Batch batch, boolean sync);

  /**
   * Returns entries in order.
   *
   * @param prefix of all returned keys
   * @param from the first key to return; if it is before the prefix, the scan begins at the first key with the prefix
   * @param limit maximum number, 1 to {@link #SCAN_MAX}; fewer are returned only at the end
   */
  List<Entry> scan(byte[] prefix, byte[] from, int limit);

  /** Whether it has only space for small changes that free space. Reject changes that add data then. */
  boolean isFull();

  /** False after {@link #close}, and after a commit that may or may not be on disk. */
  boolean isOpen();

  @Override
  void close();

  /** Whether a key begins with a prefix. */
  static boolean hasPrefix(byte[] key, byte[] prefix) {
    return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  /** Checks the limit of a scan. */
  static void checkLimit(int limit) {
    if (limit < 1 || limit > SCAN_MAX) {
      throw new IllegalArgumentException("limit of a scan is " + limit + ", must be from 1 to " + SCAN_MAX);
    }
  }
}
