package dev.weft.pvfs.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * What a {@link MemoryStore} is kept on: it outlives the store, and a crash. Batches that were not synced may be lost then, from some batch on; those
 * that were are safe, unless {@link #loseSyncs} was called. One thread.
 */
public final class MemoryDisk {
  /** Batches that a crash may undo; the oldest of more than that count as written by now. */
  static final int UNSYNCED_MAX = 1024;

  final TreeMap<byte[], byte[]> entries = new TreeMap<>(Batch.ORDER);
  /** What undoes the batches that are not synced, the latest first. */
  private final Deque<Batch> undo = new ArrayDeque<>();
  private final String name;
  private boolean losesSyncs;
  private boolean full;
  private int commitsToFailure = -1;
  private boolean failsUnsure;
  private MemoryStore user;

  /** An empty one. */
  public MemoryDisk(String name) {
    this.name = name;
  }

  /** Opens what is on it, which is safe from then on: RocksDB writes and syncs what it finds in its log before anybody reads it. One user at a time. */
  public MemoryStore open() {
    if (user != null) {
      throw new StoreException(name + " is in use by another manager; stop that one first");
    }
    if (!losesSyncs) {
      undo.clear();
    }
    user = new MemoryStore(this);
    return user;
  }

  /**
   * The machine fails: the store that is open is closed, and a number of the last batches that were not synced, from none to all, is undone.
   *
   * @return how many batches were lost
   */
  public int crash(RandomGenerator random) {
    return crash(random.nextInt(undo.size() + 1));
  }

  /** The same; loses {@code batches} of those that were not synced, or all of them if there are fewer. */
  public int crash(int batches) {
    if (user != null) {
      user.close();
    }
    int lost = 0;
    while (lost < batches && !undo.isEmpty()) {
      apply(undo.pop());
      lost++;
    }
    undo.clear();
    return lost;
  }

  /** Plants a fault: from now on a sync is answered, but nothing is safe because of it. */
  public void loseSyncs() {
    losesSyncs = true;
  }

  /** Lets one commit fail, after {@code commits} that do not; the store stays as before it and can be used on. */
  public void failAfter(int commits) {
    commitsToFailure = commits;
  }

  /** Whether the next commit fails so that nobody knows whether it is on disk: a crash decides it. It closes the store, as {@link RocksStore} does. */
  public void failUnsure(boolean fails) {
    failsUnsure = fails;
  }

  /** Whether the disk is full, as the store says; small changes still fit. */
  public void setFull(boolean full) {
    this.full = full;
  }

  boolean isFull() {
    return full;
  }

  /** Batches that a crash may undo. */
  public int unsynced() {
    return undo.size();
  }

  String name() {
    return name;
  }

  void commit(Batch batch, boolean sync) {
    if (commitsToFailure >= 0 && commitsToFailure-- == 0) {
      throw new StoreException(name + " failed a write, as it was told to");
    }
    undo.push(inverse(batch));
    apply(batch);
    if (failsUnsure) {
      failsUnsure = false;
      user.close();
      throw new StoreException(name + " failed in the middle of a write, as it was told to, and is closed");
    }
    if (sync && !losesSyncs) {
      undo.clear();
    } else if (undo.size() > UNSYNCED_MAX) {
      undo.removeLast();
    }
  }

  private Batch inverse(Batch batch) {
    Batch inverse = new Batch();
    batch.forEach((key, value) -> {
      byte[] before = entries.get(key);
      if (before == null) {
        inverse.delete(key);
      } else {
        inverse.put(key, before);
      }
    });
    return inverse;
  }

  private void apply(Batch batch) {
    batch.forEach((key, value) -> {
      if (value == null) {
        entries.remove(key);
      } else {
        entries.put(key, value);
      }
    });
  }

  void left(MemoryStore store) {
    if (user == store) {
      user = null;
    }
  }
}
