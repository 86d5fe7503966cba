package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/**
 * The store with two layers of changes on top: those of completed operations since the last commit, and those of the running operation. An operation
 * is kept or dropped as a whole, and so is the batch. State that is only in memory follows by {@link #onUndo}.
 */
final class Transaction {
  /** Maximum keys that one batch may change: far more than a group commit has, and far less than fits into memory. */
  static final int CHANGES_MAX = 1 << 16;
  /** Maximum number of changes that no answer waits for; then they are written. */
  static final int LOOSE_MAX = 1024;

  private final MetadataStore store;
  private final Batch done = new Batch();
  private final Batch running = new Batch();
  private final Deque<Runnable> undoDone = new ArrayDeque<>();
  private final Deque<Runnable> undoRunning = new ArrayDeque<>();
  /** Whether {@link #done} has more than the changes of {@link #keepLoosely}. */
  private boolean mustWrite;
  private int loose;
  /** Inodes opened or closed since the last commit, which may be undone. */
  private final Set<Long> undoable = new HashSet<>();
  private SuperBlock committed;
  private SuperBlock kept;
  private SuperBlock block;

  Transaction(MetadataStore store) {
    this.store = store;
    byte[] value = store.get(Keys.SUPER);
    committed = value == null ? SuperBlock.EMPTY : Values.superBlock(value);
    kept = committed;
    block = committed;
  }

  boolean isFresh() {
    return committed == SuperBlock.EMPTY;
  }

  SuperBlock superBlock() {
    return block;
  }

  void superBlock(SuperBlock changed) {
    block = changed;
  }

  byte[] get(byte[] key) {
    if (running.changes(key)) {
      return running.get(key);
    }
    return done.changes(key) ? done.get(key) : store.get(key);
  }

  void put(byte[] key, byte[] value) {
    running.put(key, value);
  }

  void delete(byte[] key) {
    running.delete(key);
  }

  /** Scans like the store, with uncommitted changes. */
  List<MetadataStore.Entry> scan(byte[] prefix, byte[] from, int limit) {
    List<MetadataStore.Entry> found = new ArrayList<>();
    byte[] start = Arrays.compareUnsigned(from, prefix) < 0 ? prefix : from;
    while (true) {
      List<MetadataStore.Entry> page = store.scan(prefix, start, limit);
      byte[] end = page.size() < limit ? null : page.getLast().key();
      for (Map.Entry<byte[], byte[]> entry : merged(page, prefix, start, end).entrySet()) {
        if (entry.getValue() != null && found.size() < limit) {
          found.add(new MetadataStore.Entry(entry.getKey(), entry.getValue()));
        }
      }
      if (end == null || found.size() == limit) {
        return found;
      }
      start = Keys.after(end);
    }
  }

  private NavigableMap<byte[], byte[]> merged(List<MetadataStore.Entry> page, byte[] prefix, byte[] start, byte[] end) {
    TreeMap<byte[], byte[]> merged = new TreeMap<>(Arrays::compareUnsigned);
    page.forEach(entry -> merged.put(entry.key(), entry.value()));
    for (Batch batch : List.of(done, running)) {
      for (Map.Entry<byte[], byte[]> change : batch.from(start).entrySet()) {
        if (!MetadataStore.hasPrefix(change.getKey(), prefix) || (end != null && Arrays.compareUnsigned(change.getKey(), end) > 0)) {
          break;
        }
        merged.put(change.getKey(), change.getValue());
      }
    }
    return merged;
  }

  /** Registers the undo of a change of state in memory, for the case that the running operation or its batch fails. */
  void onUndo(Runnable undo) {
    undoRunning.push(undo);
  }

  /** The same for a change that concerns an inode; {@link #mayUndo} returns true until the next commit. */
  void onUndo(long inode, Runnable undo) {
    undoable.add(inode);
    onUndo(undo);
  }

  /** Whether a change of an inode since the last commit may be undone. */
  boolean mayUndo(long inode) {
    return undoable.contains(inode);
  }

  /** Whether the store has no space for operations that only add. */
  boolean isFull() {
    return store.isFull();
  }

  /** Whether the batch is so large that it must be committed before the next operation. */
  boolean isLarge() {
    return done.size() >= CHANGES_MAX;
  }

  /** Completes the running operation. */
  void keep() {
    mustWrite |= !running.isEmpty();
    done.addAll(running);
    running.clear();
    undoRunning.descendingIterator().forEachRemaining(undoDone::push);
    undoRunning.clear();
    kept = block;
  }

  /**
   * Completes the running operation without undo. Its changes go with the next batch, but no answer waits for them, and they may be lost with that
   * batch.
   */
  void keepLoosely() {
    if (!undoRunning.isEmpty()) {
      throw new IllegalStateException("what may be undone has to be awaited");
    }
    loose += running.size();
    done.addAll(running);
    running.clear();
    kept = block;
  }

  /** Drops the running operation, which has failed. */
  void drop() {
    running.clear();
    undoAll(undoRunning);
    block = kept;
  }

  private static void undoAll(Deque<Runnable> undo) {
    while (!undo.isEmpty()) {
      undo.pop().run();
    }
  }

  /** Whether there are changes that a crash or a failed commit would undo. */
  boolean hasChanges() {
    return isAwaited() || isOverdue();
  }

  /** The same without the changes of {@link #keepLoosely}. */
  boolean isAwaited() {
    return mustWrite || !undoDone.isEmpty();
  }

  /** Whether {@link #keepLoosely} has kept so many changes that they must be written. */
  boolean isOverdue() {
    return loose >= LOOSE_MAX;
  }

  /** Writes all operations since the last commit to disk; if this throws, none of them has happened. */
  void commit() {
    try {
      if (mustWrite || isOverdue()) {
        SuperBlock next = kept.committed();
        done.put(Keys.SUPER, Values.superBlock(next));
        store.commit(done, true);
        committed = next;
        done.clear();
        mustWrite = false;
        loose = 0;
      }
      undoDone.clear();
      undoable.clear();
      kept = committed;
      block = committed;
    } catch (StoreException e) {
      rollback();
      throw e;
    }
  }

  /** Also writes the changes that no answer waits for. */
  void commitLoose() {
    mustWrite |= loose > 0;
    commit();
  }

  private void rollback() {
    done.clear();
    mustWrite = false;
    loose = 0;
    undoable.clear();
    undoAll(undoDone);
    kept = committed;
    block = committed;
  }
}
