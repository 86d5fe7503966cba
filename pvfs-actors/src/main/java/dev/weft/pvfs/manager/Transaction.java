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
 * The store, with what has changed since the last commit on top: changes of the operation that runs, over those of the ones that are done. An operation is
 * kept or dropped as a whole, and so is the batch. State that is in memory only goes along by {@link #onUndo}.
 */
final class Transaction {
  /** Keys that one batch may change: far more than a group commit has, far less than the memory. */
  static final int CHANGES_MAX = 1 << 16;
  /** Changes that nobody waits for, and that are written by themselves when there are so many. */
  static final int LOOSE_MAX = 1024;

  private final MetadataStore store;
  private final Batch done = new Batch();
  private final Batch running = new Batch();
  private final Deque<Runnable> undoDone = new ArrayDeque<>();
  private final Deque<Runnable> undoRunning = new ArrayDeque<>();
  /** Whether {@link #done} has more than what was kept by {@link #keepLoosely}. */
  private boolean mustWrite;
  private int loose;
  /** Inodes that somebody has opened or closed since the last commit: that may be undone. */
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

  /** Like that of the store, changes included. */
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

  /** Undoes what the operation that runs has just done to state in memory, if it or its batch comes to nothing. */
  void onUndo(Runnable undo) {
    undoRunning.push(undo);
  }

  /** The same of what has to do with an inode; {@link #mayUndo} says so until the next commit. */
  void onUndo(long inode, Runnable undo) {
    undoable.add(inode);
    onUndo(undo);
  }

  /** Whether an operation since the last commit has done something with an inode that may be undone. */
  boolean mayUndo(long inode) {
    return undoable.contains(inode);
  }

  /** Whether the store has no room for what only adds to it. */
  boolean isFull() {
    return store.isFull();
  }

  /** Whether the batch is so large that it has to be committed before the next operation. */
  boolean isLarge() {
    return done.size() >= CHANGES_MAX;
  }

  /** The operation is done. */
  void keep() {
    mustWrite |= !running.isEmpty();
    done.addAll(running);
    running.clear();
    undoRunning.descendingIterator().forEachRemaining(undoDone::push);
    undoRunning.clear();
    kept = block;
  }

  /**
   * The operation is done, for good: its changes go with the next batch, but nobody need wait for them, and all can do without them where that batch is
   * not written.
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

  /** The operation was refused. */
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

  /** Whether there is something that a crash would undo, or a commit that fails. */
  boolean hasChanges() {
    return isAwaited() || isOverdue();
  }

  /** The same, but for what {@link #keepLoosely} has kept. */
  boolean isAwaited() {
    return mustWrite || !undoDone.isEmpty();
  }

  /** Whether {@link #keepLoosely} has kept so much that it has to be written. */
  boolean isOverdue() {
    return loose >= LOOSE_MAX;
  }

  /** All operations since the last commit are on disk behind this, or, if it throws, none of them has happened. */
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

  /** The same for all that nobody waits for. */
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
