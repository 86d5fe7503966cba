package dev.weft.pvfs.store;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Changes that happen together or not at all. The last change of a key counts. Keys and values are not copied: do not modify them afterwards. One
 * thread.
 */
public final class Batch {
  /** The order of keys, here and in every store: byte by byte, unsigned; a prefix comes before longer keys. */
  static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  /** Null for a deleted key. */
  private final TreeMap<byte[], byte[]> changes = new TreeMap<>(ORDER);

  public void put(byte[] key, byte[] value) {
    if (value == null) {
      throw new IllegalArgumentException("a value is null; a key is removed with delete");
    }
    changes.put(key, value);
  }

  /** Removes a key, whether it exists or not. */
  public void delete(byte[] key) {
    changes.put(key, null);
  }

  /** Adds the changes of another batch after those of this one. */
  public void addAll(Batch later) {
    changes.putAll(later.changes);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /** Number of changed keys. */
  public int size() {
    return changes.size();
  }

  public void clear() {
    changes.clear();
  }

  /** Whether the batch changes this key; then {@link #get} returns its value, or null if it is deleted. */
  public boolean changes(byte[] key) {
    return changes.containsKey(key);
  }

  public byte[] get(byte[] key) {
    return changes.get(key);
  }

  /** Visits each key in order, with its new value, null for a deleted one. */
  public void forEach(BiConsumer<byte[], byte[]> change) {
    changes.forEach(change);
  }

  /** The changes of keys from {@code from} on, null for deleted ones. An unmodifiable view. */
  public NavigableMap<byte[], byte[]> from(byte[] from) {
    return Collections.unmodifiableNavigableMap(changes.tailMap(from, true));
  }
}
