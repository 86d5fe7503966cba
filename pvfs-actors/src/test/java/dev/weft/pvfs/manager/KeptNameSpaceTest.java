package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static dev.weft.pvfs.manager.Shown.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeptNameSpaceTest {
  /** A store whose commits fail from some one on, and which stays open. */
  private static final class Failing implements MetadataStore {
    private final MetadataStore store;
    int commitsLeft = Integer.MAX_VALUE;

    Failing(MetadataStore store) {
      this.store = store;
    }

    @Override
    public byte[] get(byte[] key) {
      return store.get(key);
    }

    @Override
    public void commit(Batch batch, boolean sync) {
      if (commitsLeft-- <= 0) {
        throw new StoreException("no room", Errno.ENOSPC, null);
      }
      store.commit(batch, sync);
    }

    @Override
    public List<Entry> scan(byte[] prefix, byte[] from, int limit) {
      return store.scan(prefix, from, limit);
    }

    @Override
    public boolean isFull() {
      return false;
    }

    @Override
    public boolean isOpen() {
      return store.isOpen();
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** Repair gives /lost+found a number; a file that is made later must not get it, too. */
  @Test
  void shouldGiveNoNumberTwiceAfterARepairThatHasStoppedHalfWay() {
    int stopped = 0;
    for (int commits = 0; tryRepair(commits); commits++) {
      stopped++;
    }
    assertTrue(stopped >= 2, "repairs in several commits: " + stopped);
  }

  /** False if so many commits are enough. */
  private static boolean tryRepair(int commits) {
    Failing store = new Failing(new MemoryDisk("disk").open());
    KeptNameSpace kept = KeptNameSpace.open(() -> store, FileSystemLabel.random(1), 1, StripingWish.NONE, () -> 1, () -> 0);
    long lost = value(kept.get().create(Caller.ROOT, Inode.ROOT, bytes("lost"), 0644, true, null, 0, 0, 1)).number();
    long other = value(kept.get().create(Caller.ROOT, Inode.ROOT, bytes("other"), 0644, true, null, 0, 0, 1)).number();
    assertEquals(Errno.OK, kept.commit());
    plant(store, lost, other);
    store.commitsLeft = commits;
    boolean fails = false;
    try {
      kept.check(true, _ -> false);
    } catch (StoreException full) {
      fails = true;
    }
    store.commitsLeft = Integer.MAX_VALUE;
    long made = value(kept.get().create(Caller.ROOT, Inode.ROOT, bytes("new"), 0644, true, null, 0, 0, 1)).number();
    assertNull(store.get(Keys.inode(made)), "number " + made + " after " + commits + " commits");
    assertEquals(Errno.OK, kept.commit());
    kept.close();
    return fails;
  }

  /** A file without an entry, and one with wrong links. */
  private static void plant(Failing store, long lost, long other) {
    Entries.Entry entry = Values.entry(store.get(Keys.name(Inode.ROOT, bytes("lost"))));
    InodeDraft draft = Values.inode(other, store.get(Keys.inode(other))).draft();
    draft.links = 7;
    Batch batch = new Batch();
    batch.delete(Keys.name(Inode.ROOT, bytes("lost")));
    batch.delete(Keys.cookie(Inode.ROOT, entry.cookie()));
    batch.put(Keys.inode(other), Values.inode(draft.inode()));
    store.commit(batch, true);
    assertTrue(store.get(Keys.inode(lost)) != null);
  }
}
