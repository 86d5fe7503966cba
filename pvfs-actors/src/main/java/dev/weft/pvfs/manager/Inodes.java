package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MetadataStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Inodes and intents within a transaction. */
final class Inodes {
  private static final int PAGE = 256;

  private final Transaction transaction;
  private Set<Long> changed = new HashSet<>();
  private List<RemovedInode> removed = new ArrayList<>();

  Inodes(Transaction transaction) {
    this.transaction = transaction;
  }

  /** Returns the inode; ESTALE if it does not exist (any more). */
  Inode get(long number) {
    byte[] value = transaction.get(Keys.inode(number));
    Refusal.unless(value != null, Errno.ESTALE);
    return Values.inode(number, value);
  }

  /** Returns a directory; ENOTDIR if the inode is none. */
  Inode directory(long number) {
    Inode inode = get(number);
    Refusal.unless(inode.isDirectory(), Errno.ENOTDIR);
    return inode;
  }

  Inode put(InodeDraft draft) {
    Inode inode = draft.inode();
    changed.add(inode.number());
    transaction.put(Keys.inode(inode.number()), Values.inode(inode));
    return inode;
  }

  /** Allocates a number and returns a draft that the caller must fill. */
  InodeDraft add(FileType type) {
    InodeDraft draft = new InodeDraft(transaction.superBlock().nextInode(), type);
    transaction.superBlock(transaction.superBlock().inodeAdded());
    return draft;
  }

  /** Removes an inode that has no name and is not open, with all its records; an intent removes its objects at the daemons. */
  void remove(Inode inode) {
    changed.add(inode.number());
    transaction.delete(Keys.inode(inode.number()));
    removed.add(new RemovedInode(inode, inode.type() == FileType.SYMLINK ? target(inode.number()) : null));
    if (inode.type() == FileType.SYMLINK) {
      transaction.delete(Keys.target(inode.number()));
    }
    removeXattrs(Keys.xattrs(inode.number()));
    transaction.superBlock(transaction.superBlock().inodeRemoved());
    if (inode.isRegular()) {
      lengthKnown(inode.number());
      intend(Intent.Kind.REMOVE, inode, 0);
    }
  }

  private byte[] target(long inode) {
    byte[] value = transaction.get(Keys.target(inode));
    return value == null ? new byte[0] : Values.bytes("the target of inode " + inode, value);
  }

  /** Returns the inodes removed since the last call; some of the operations may have failed since. */
  List<RemovedInode> takeRemoved() {
    if (removed.isEmpty()) {
      return List.of();
    }
    List<RemovedInode> taken = removed;
    removed = new ArrayList<>();
    return taken;
  }

  /** Returns the inodes changed since the last call; some of the operations may have failed since. */
  Set<Long> takeChanged() {
    if (changed.isEmpty()) {
      return Set.of();
    }
    Set<Long> taken = changed;
    changed = new HashSet<>();
    return taken;
  }

  private void removeXattrs(byte[] prefix) {
    List<MetadataStore.Entry> page;
    do {
      page = transaction.scan(prefix, prefix, PAGE);
      page.forEach(entry -> transaction.delete(entry.key()));
    } while (page.size() == PAGE);
  }

  /** From now on only the daemons know the file's length, also after a restart of the manager. */
  void lengthOpen(long inode) {
    if (transaction.get(Keys.length(inode)) == null) {
      transaction.put(Keys.length(inode), Values.nothing());
    }
  }

  void lengthKnown(long inode) {
    if (transaction.get(Keys.length(inode)) != null) {
      transaction.delete(Keys.length(inode));
    }
  }

  void intend(Intent.Kind kind, Inode inode, long sizeBytes) {
    Intent intent = new Intent(transaction.superBlock().nextIntent(), kind, inode.number(), inode.striping(), sizeBytes);
    transaction.put(Keys.intent(intent.id()), Values.intent(intent));
    transaction.superBlock(transaction.superBlock().intentAdded());
  }

  /** Returns the intent; ENOENT if it does not exist. */
  Intent intent(long id) {
    byte[] value = transaction.get(Keys.intent(id));
    Refusal.unless(value != null, Errno.ENOENT);
    return Values.intent(id, value);
  }

  /** Removes an intent that is done. */
  void forget(Intent intent) {
    transaction.delete(Keys.intent(intent.id()));
    transaction.superBlock(transaction.superBlock().intentDone());
  }

  /** Removes an intent that cannot be done. The file gets the given length, if it still exists and no other length was reported since. */
  void refused(Intent intent, long fileBytes) {
    forget(intent);
    byte[] value = transaction.get(Keys.inode(intent.inode()));
    if (value != null && Values.inode(intent.inode(), value).sizeHint() == intent.sizeBytes()) {
      InodeDraft draft = Values.inode(intent.inode(), value).draft();
      draft.sizeHint = fileBytes;
      put(draft);
    }
  }
}
