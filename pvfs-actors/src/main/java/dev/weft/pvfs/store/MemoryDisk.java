package dev.weft.pvfs.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * The disk of a {@link MemoryStore}, which outlives the store and a crash. A crash may lose batches that were not synced, from some batch on. Synced
 * ones are safe, unless {@link #loseSyncs} was called. One thread.
 */
public final class MemoryDisk {
  /** Maximum number of batches that a crash may undo; older ones count as written. */
  static final int UNSYNCED_MAX = 1024;

  final TreeMap<byte[], byte[]> entries = new TreeMap<>(Batch.ORDER);
  /** What undoes the unsynced batches, the latest first. */
  private final Deque<Batch> undo = new ArrayDeque<>();
  private final String name;
  private boolean losesSyncs;
  private boolean full;
  private int commitsToFailure = -1;
  private boolean failsUnsure;
  private MemoryStore user;

  /** Makes an empty disk. */
  public MemoryDisk(String name) {
    this.name = name;
  }

  /** Opens its contents, which are safe from then on: RocksDB, too, writes and syncs its log before the first read. One user at a time. */
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
   * Simulates a failure of the machine: closes the open store, and undoes a random number of the last unsynced batches, from none to all.
   *
   * @return how many batches were lost
   */
  public int crash(RandomGenerator random) {
    return crash(random.nextInt(undo.size() + 1));
  }

  /** As above; loses {@code batches} of the unsynced ones, or all if there are fewer. */
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

  /** Plants a fault: from now on a sync is answered but makes nothing safe. */
  public void loseSyncs() {
    losesSyncs = true;
  }

  /** Lets one commit fail, after {@code commits} successful ones; the store stays unchanged and usable. */
  public void failAfter(int commits) {
    commitsToFailure = commits;
  }

  /** Whether the next commit fails without knowing whether it is on disk: a crash decides. It closes the store, like {@link RocksStore}. */
  public void failUnsure(boolean fails) {
    failsUnsure = fails;
  }

  /** Sets whether the store reports a full disk; small changes still fit. */
  public void setFull(boolean full) {
    this.full = full;
  }

  boolean isFull() {
    return full;
  }

  /** Returns the number of batches that a crash may undo. */
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
