package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MemoryStore;
import dev.weft.pvfs.store.MetadataStore;
import java.util.List;
import java.util.Random;

/** A store between the name space and the real one that does wrong what a wrong manager or a wrong store would. */
final class FaultyStore implements MetadataStore {
  /** What is planted. */
  enum Fault {
    NONE,
    /** The parts of a batch are written one after the other. */
    SPLIT_BATCH,
    /** Nobody waits for the disk. */
    NO_SYNC,
    /** The effects on daemons are forgotten. */
    NO_INTENT,
    /** Intents that are done come back. */
    INTENT_FOR_EVER,
    /** Who has an inode without a name open is forgotten. */
    NO_ORPHAN,
    /** The numbers of inodes begin anew after a start. */
    NO_SUPER_BLOCK,
    /** Rename leaves the old name. */
    OLD_NAME_STAYS,
    /** An entry that is gone is still listed. */
    OLD_COOKIE_STAYS,
    /** Extended attributes cannot be removed. */
    XATTR_STAYS,
    /** Symbolic links lose their targets. */
    NO_TARGET,
    /** An inode that is gone is there. */
    INODE_STAYS,
    /** A change of one inode of a batch is lost. */
    LOST_INODE,
    /** A scan ends before the last entry. */
    SHORT_SCAN,
    /** A failed commit says that all is well. */
    HIDDEN_FAILURE
  }

  private final MemoryStore store;
  private final Fault fault;
  private final Random random;

  FaultyStore(MemoryStore store, Fault fault, long seed) {
    this.store = store;
    this.fault = fault;
    random = new Random(seed);
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(key);
  }

  @Override
  public void commit(Batch batch, boolean sync) {
    try {
      commitFaulty(batch, sync && fault != Fault.NO_SYNC);
    } catch (RuntimeException e) {
      if (fault != Fault.HIDDEN_FAILURE) {
        throw e;
      }
    }
  }

  private void commitFaulty(Batch batch, boolean sync) {
    Batch first = new Batch();
    Batch second = new Batch();
    int[] left = {batch.size() / 2};
    batch.forEach((key, value) -> {
      if (!isLost((char) key[0], value == null, key)) {
        Batch part = fault == Fault.SPLIT_BATCH && left[0]-- <= 0 ? second : first;
        if (value == null) {
          part.delete(key);
        } else {
          part.put(key, value);
        }
      }
    });
    store.commit(first, sync);
    if (fault == Fault.SPLIT_BATCH) {
      store.commit(second, false);
    }
  }

  private boolean isLost(char kind, boolean deletes, byte[] key) {
    return switch (fault) {
      case NO_INTENT -> kind == 'J' && !deletes;
      case INTENT_FOR_EVER -> kind == 'J' && deletes;
      case NO_ORPHAN -> kind == 'O' && !deletes;
      case NO_SUPER_BLOCK -> kind == 'S' && store.get(key) != null;
      case OLD_NAME_STAYS -> kind == 'D' && deletes;
      case OLD_COOKIE_STAYS -> kind == 'C' && deletes;
      case XATTR_STAYS -> kind == 'X' && deletes;
      case NO_TARGET -> kind == 'L' && !deletes;
      case INODE_STAYS -> kind == 'I' && deletes;
      case LOST_INODE -> kind == 'I' && !deletes && random.nextInt(10) == 0;
      default -> false;
    };
  }

  @Override
  public List<Entry> scan(byte[] prefix, byte[] from, int limit) {
    List<Entry> found = store.scan(prefix, from, limit);
    return fault == Fault.SHORT_SCAN && found.size() > 2 ? found.subList(0, found.size() - 1) : found;
  }

  @Override
  public boolean isFull() {
    return store.isFull();
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
