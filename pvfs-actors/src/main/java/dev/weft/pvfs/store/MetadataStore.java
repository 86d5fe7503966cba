package dev.weft.pvfs.store;

import java.util.Arrays;
import java.util.List;

/**
 * Ordered keys and values with atomic batches. Keys are compared byte by byte, without a sign. Each method throws {@link StoreException} if the store
 * cannot be read, or is closed. One thread, but for {@link #close}.
 */
public interface MetadataStore extends AutoCloseable {
  /** A key and its value; nobody changes these. */
  record Entry(byte[] key, byte[] value) {}

  /** Entries that one scan may ask for. */
  int SCAN_MAX = 4096;

  /** The value, or null if there is none. */
  byte[] get(byte[] key);

  /**
   * Writes all of the batch. With {@code sync} it is on disk when this returns, and so are all batches before it. Without, a crash may undo it, with all
   * behind it, but never a part of it.
   *
   * @throws StoreException if it was not written: then no later read sees any of it. The store is either as before and can be used on, or closed, which
   *     {@link #isOpen} tells. In the second case the batch may be there, as a whole, when the store is opened again.
   */
  void commit(Batch batch, boolean sync);

  /**
   * Entries in order.
   *
   * @param prefix of all keys that are found
   * @param from the first key that may be found; one before the prefix begins with the first that has it
   * @param limit most entries, 1 to {@link #SCAN_MAX}; fewer are found only at the end
   */
  List<Entry> scan(byte[] prefix, byte[] from, int limit);

  /** Whether it lacks room for more than small changes that make room. What adds something is to be refused then. */
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
