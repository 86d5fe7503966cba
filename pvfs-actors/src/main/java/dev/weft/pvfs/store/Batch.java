package dev.weft.pvfs.store;

import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Changes that happen together or not at all. The last change of a key counts. Neither keys nor values are copied: do not change them afterwards. One
 * thread.
 */
public final class Batch {
  /** How keys are ordered, here and in every store: byte by byte, without a sign; a prefix before what it begins. */
  static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  /** Null for a key that is deleted. */
  private final TreeMap<byte[], byte[]> changes = new TreeMap<>(ORDER);

  public void put(byte[] key, byte[] value) {
    if (value == null) {
      throw new IllegalArgumentException("a value is null; a key is removed with delete");
    }
    changes.put(key, value);
  }

  /** Removes a key, whether it is there or not. */
  public void delete(byte[] key) {
    changes.put(key, null);
  }

  /** Adds the changes of another batch behind those of this one. */
  public void addAll(Batch later) {
    changes.putAll(later.changes);
  }

  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /** Keys that change. */
  public int size() {
    return changes.size();
  }

  public void clear() {
    changes.clear();
  }

  /** Whether the batch says what becomes of this key; if so, {@link #get} has its value, or null if it is deleted. */
  public boolean changes(byte[] key) {
    return changes.containsKey(key);
  }

  public byte[] get(byte[] key) {
    return changes.get(key);
  }

  /** Calls with each key, in order, and its new value, null for a deleted one. */
  public void forEach(BiConsumer<byte[], byte[]> change) {
    changes.forEach(change);
  }

  /** The changes of keys from {@code from} on; null for deleted ones. A view that nobody can change. */
  public NavigableMap<byte[], byte[]> from(byte[] from) {
    return Collections.unmodifiableNavigableMap(changes.tailMap(from, true));
  }
}
