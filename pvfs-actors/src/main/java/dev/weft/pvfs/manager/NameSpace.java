package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The name space of a file system: all decisions of the manager, without actors and clocks. {@code nowNs} is the time since 1970.
 *
 * <p>An operation takes effect at once, and later operations see it. But no client may be answered before {@link #commit} has returned: neither one
 * that changed something nor one that saw the change. A failed commit undoes all operations since the previous one. A failed operation has changed
 * nothing. Results are numbers of {@link Errno}; EAGAIN asks for a commit first. If the store fails, operations throw {@link StoreException} and have
 * not happened.
 *
 * <p>Inodes are named by their numbers; a removed one gives ESTALE. Names are bytes. Reads do not update access times; clients may report them. One
 * thread.
 */
public final class NameSpace {
  public static final int RENAME_NOREPLACE = Renames.NOREPLACE;
  public static final int RENAME_EXCHANGE = Renames.EXCHANGE;
  public static final int RENAME_WHITEOUT = Renames.WHITEOUT;
  public static final int XATTR_CREATE = Xattrs.CREATE;
  public static final int XATTR_REPLACE = Xattrs.REPLACE;
  /** Bits of {@link #access}. */
  public static final int READ = Permissions.READ;
  public static final int WRITE = Permissions.WRITE;
  public static final int EXECUTE = Permissions.EXECUTE;
  /** Maximum number of intents that one call of {@link #intents} returns. */
  public static final int INTENTS_MAX = MetadataStore.SCAN_MAX;

  private final MetadataStore store;
  private final Transaction transaction;
  private final Operations operations;
  private final SessionRecords records;
  private final Inodes inodes;
  private final Entries entries;
  private final Opens opens;
  private final Links links;
  private final Creation creation;
  private final Walk walk;
  private final Renames renames;
  private final Attributes attributes;
  private final Opening opening;
  private final Xattrs xattrs;

  private NameSpace(MetadataStore store, NameSpaceSettings settings) {
    this.store = store;
    transaction = new Transaction(store);
    operations = new Operations(transaction);
    records = new SessionRecords(store, transaction);
    inodes = new Inodes(transaction);
    entries = new Entries(transaction, inodes);
    opens = new Opens(transaction, inodes, settings.opensMax());
    links = new Links(inodes, entries, opens, settings.linksMax());
    creation = new Creation(transaction, inodes, entries, links, settings);
    walk = new Walk(transaction, inodes, entries);
    renames = new Renames(inodes, entries, links, creation);
    attributes = new Attributes(inodes);
    opening = new Opening(inodes, entries, opens, creation, attributes);
    xattrs = new Xattrs(transaction, inodes);
  }

  /**
   * Opens the name space of a store; in an empty store, makes a root directory.
   *
   * @throws StoreException if the store cannot be read or was written by a newer manager
   */
  public static NameSpace open(MetadataStore store, NameSpaceSettings settings, long nowNs) {
    return open(store, settings, null, nowNs);
  }

  /** Opens the name space of a store, which must have the label {@code label}; a store without one gets it. Null accepts any. */
  static NameSpace open(MetadataStore store, NameSpaceSettings settings, FileSystemLabel label, long nowNs) {
    NameSpace opened = new NameSpace(store, settings);
    if (opened.transaction.isFresh()) {
      opened.creation.root(nowNs);
    }
    FileSystemLabel there = opened.label();
    if (there == null && label != null) {
      opened.transaction.put(Keys.LABEL, Values.label(label));
    } else if (label != null && !there.equals(label)) {
      throw new StoreException("the metadata are those of " + there + ", not those of " + label + "; name the directory that belongs to it");
    }
    opened.transaction.keep();
    opened.commit();
    return opened;
  }

  /** Returns the identity of the file system; null if it has none. */
  FileSystemLabel label() {
    byte[] value = transaction.get(Keys.LABEL);
    return value == null ? null : Values.label(value);
  }

  /** Returns the label of a store that is not in use; null if it has none. */
  public static FileSystemLabel labelOf(MetadataStore store) {
    byte[] value = store.get(Keys.LABEL);
    return value == null ? null : Values.label(value);
  }

  /** Whether a store that is not in use has more than a root directory. */
  public static boolean isInUse(MetadataStore store) {
    return store.scan(Keys.INODES, Keys.INODES, 2).size() > 1;
  }

  /** Continues where {@code before} was, on the same store: sessions keep their open files. */
  void takeOver(NameSpace before) {
    opens.takeOver(before.opens);
  }

  /** Whether an answer must wait for {@link #commit}. */
  public boolean hasChanges() {
    return transaction.hasChanges();
  }

  /**
   * Writes all operations since the last call, with one sync.
   *
   * @throws StoreException if none of them was written: none has happened then, and each must be answered with EIO
   */
  public void commit() {
    transaction.commit();
  }

  /** Whether the store can be used; if not, open both again. */
  public boolean isUsable() {
    return store.isOpen();
  }

  /** Returns the inode of a name in a directory, also of "." and "..". */
  public Result<Inode> lookup(Caller caller, long parent, byte[] name) {
    return operations.run(() -> walk.step(caller, inodes.directory(parent), name));
  }

  /**
   * Returns the inode of a path, over at most 40 symbolic links.
   *
   * @param start directory of a path that does not begin with a slash
   * @param path at most 4095 bytes
   * @param followLast whether a symbolic link at the end is followed
   */
  public Result<Inode> walk(Caller caller, long start, byte[] path, boolean followLast) {
    return operations.run(() -> walk.walk(caller, start, path, followLast));
  }

  public Result<Inode> getattr(long inode) {
    return operations.run(() -> inodes.get(inode));
  }

  /** Changes attributes; {@code session} matters only for {@link AttributeChange#BY_HANDLE}. A new size also makes an {@link Intent}. */
  public Result<Inode> setattr(Caller caller, long session, long inode, AttributeChange change, long nowNs) {
    return operations.run(() -> {
      if ((change.mask() & AttributeChange.SIZE) != 0) {
        opens.requireUnmapped(session, inode);
      }
      return attributes.set(caller, inodes.get(inode), change, opens.isOpenFor(inode, session, Capability.WRITE), nowNs);
    });
  }

  /**
   * Records the writes of a client: the size as far as it knows, negative if it does not. Other times and set-id bits change accordingly. EBADF if it
   * may not write.
   *
   * @param keepsTimes whether a program has set the times since
   * @param wroteNs when the client last wrote. It becomes the time of the last change, unless another client has written, or set the time, later
   */
  public Result<Inode> wrote(Caller caller, long session, long inode, long sizeBytes, boolean keepsTimes, long wroteNs, long nowNs) {
    return operations.run(() -> opening.wrote(caller, session, inodes.get(inode), sizeBytes, keepsTimes, wroteNs, nowNs));
  }

  /** Returns OK, or EACCES if the caller lacks one of {@link #READ}, {@link #WRITE} and {@link #EXECUTE}. */
  public Result<Void> access(Caller caller, long inode, int wanted) {
    return operations.run(() -> Permissions.check(caller, inodes.get(inode), wanted));
  }

  /**
   * Creates a regular file and opens it whatever its mode, or opens an existing one.
   *
   * @param mode permissions, after the umask
   * @param exclusive EEXIST if it exists
   * @param wish null for that of the directory
   * @param access as in {@link #open}; 0 does not open it
   */
  public Result<Inode> create(Caller caller, long parent, byte[] name, int mode, boolean exclusive, StripingWish wish, long session, int access,
      long nowNs) {
    boolean isFull = transaction.isFull();
    return operations.run(() -> opening.create(caller, parent, name, mode, exclusive, wish, session, access, isFull, nowNs));
  }

  public Result<Inode> mkdir(Caller caller, long parent, byte[] name, int mode, long nowNs) {
    return operations.add(() -> creation.directory(caller, parent, name, mode, nowNs));
  }

  /**
   * Creates a regular file, a fifo, a socket or a device, according to the type bits of {@code mode}. Only a privileged caller may create a device,
   * except character device 0, a whiteout.
   */
  public Result<Inode> mknod(Caller caller, long parent, byte[] name, int mode, int device, long nowNs) {
    return operations.add(() -> creation.node(caller, parent, name, mode, device, nowNs));
  }

  /**
   * Makes a symbolic link.
   *
   * @param target 1 to 4095 bytes
   */
  public Result<Inode> symlink(Caller caller, long parent, byte[] name, byte[] target, long nowNs) {
    return operations.add(() -> creation.symlink(caller, parent, name, target, nowNs));
  }

  public Result<byte[]> readlink(long inode) {
    return operations.run(() -> {
      Refusal.unless(inodes.get(inode).type() == FileType.SYMLINK, Errno.EINVAL);
      return walk.target(inode);
    });
  }

  public Result<Inode> link(Caller caller, long inode, long parent, byte[] name, long nowNs) {
    return operations.add(() -> links.link(caller, inode, parent, name, nowNs));
  }

  /** Removes a name. With the last name the inode goes, at once or after the last close, and an {@link Intent} removes its objects. */
  public Result<Void> unlink(Caller caller, long parent, byte[] name, long nowNs) {
    return operations.run(() -> links.unlink(caller, parent, name, nowNs));
  }

  public Result<Void> rmdir(Caller caller, long parent, byte[] name, long nowNs) {
    return operations.run(() -> links.rmdir(caller, parent, name, nowNs));
  }

  /**
   * Renames a file, or exchanges two.
   *
   * @param flags 0, {@link #RENAME_NOREPLACE} or {@link #RENAME_EXCHANGE}; {@link #RENAME_WHITEOUT} alone or with {@link #RENAME_NOREPLACE}
   */
  public Result<Void> rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags, long nowNs) {
    boolean isFull = (flags & RENAME_WHITEOUT) != 0 && transaction.isFull();
    return isFull ? Result.error(Errno.ENOSPC) : operations.run(() -> renames.rename(caller, from, name, to, newName, flags, nowNs));
  }

  /**
   * Returns a page of a directory, which the session has open or the caller may read.
   *
   * @param cookie of the entry before the first one, 0 at the beginning
   * @param maxBytes size as the kernel counts it; EINVAL if the first entry does not fit
   * @param withAttributes whether each entry includes its inode
   * @return an empty list at the end
   */
  public Result<List<DirEntry>> readdir(Caller caller, long session, long directory, long cookie, int maxBytes, boolean withAttributes) {
    return operations.run(() -> {
      Inode inode = inodes.directory(directory);
      if (!opens.isOpen(directory, session)) {
        Permissions.check(caller, inode, Permissions.READ);
      }
      return entries.page(inode, cookie, maxBytes, withAttributes);
    });
  }

  /** Sets the striping that new files and directories in this one inherit; only for its owner. */
  public Result<Inode> setDefaultStriping(Caller caller, long directory, StripingWish wish, long nowNs) {
    return operations.run(() -> creation.setDefault(caller, directory, wish, nowNs));
  }

  public Result<byte[]> getxattr(Caller caller, long inode, byte[] name) {
    return operations.run(() -> xattrs.get(caller, inode, name));
  }

  /**
   * Sets an extended attribute.
   *
   * @param flags 0, {@link #XATTR_CREATE} or {@link #XATTR_REPLACE}
   */
  public Result<Void> setxattr(Caller caller, long inode, byte[] name, byte[] value, int flags, long nowNs) {
    return transaction.isFull() ? Result.error(Errno.ENOSPC) : operations.run(() -> xattrs.set(caller, inode, name, value, flags, nowNs));
  }

  public Result<List<byte[]>> listxattr(Caller caller, long inode) {
    return operations.run(() -> xattrs.list(caller, inode));
  }

  public Result<Void> removexattr(Caller caller, long inode, byte[] name, long nowNs) {
    return operations.run(() -> xattrs.remove(caller, inode, name, nowNs));
  }

  /**
   * Opens an inode for a session, which keeps it until equally many calls of {@link #close}, or until the session ends.
   *
   * @param session greater than 0
   * @param access some of {@link Capability}; TRUNCATE empties the file and needs WRITE
   */
  public Result<Inode> open(Caller caller, long session, long inode, int access, long nowNs) {
    return operations.run(() -> opening.open(caller, session, inodes.get(inode), access, nowNs));
  }

  /** Call before the close of a file that the session had open with MAPPED. */
  void unmapped(long session, long inode) {
    opens.unmapped(session, inode);
  }

  /** Returns EBADF if the session does not have it open. */
  public Result<Void> close(long session, long inode) {
    return operations.run(() -> opens.close(session, inode));
  }

  /**
   * Closes without a commit: it can no longer fail, and a crash undoes nothing that matters.
   *
   * @return false if that is not possible; nothing was done then
   */
  boolean closeForGood(long session, long inode) {
    return opens.closeForGood(session, inode);
  }

  /** As {@link #lengthKnown}, after {@link #closeForGood}: written with the next commit. A manager that restarts before asks the daemons. */
  void lengthKnownLoosely(long inode) {
    inodes.lengthKnown(inode);
    transaction.keepLoosely();
  }

  /** Whether operations wait for a commit, other than {@link #closeForGood}. */
  boolean isAwaited() {
    return transaction.isAwaited();
  }

  /** Whether {@link #closeForGood} has left so many changes that they must be written. */
  boolean isOverdue() {
    return transaction.isOverdue();
  }

  /** Also writes what {@link #commit} leaves for later. */
  void commitAll() {
    transaction.commitLoose();
  }

  /** The last reported length is certain: no client writes the file, and none has since. */
  Result<Void> lengthKnown(long inode) {
    return operations.run(() -> inodes.lengthKnown(inode));
  }

  /** Returns files whose length only the daemons know, from number {@code from} on. */
  List<Long> openLengths(long from, int limit) {
    return store.scan(Keys.LENGTHS, Keys.length(from), limit).stream().map(entry -> Keys.number(entry.key())).toList();
  }

  /** Returns the access with which a session has an inode open; 0 if it does not. */
  int accessOf(long session, long inode) {
    return opens.accessOf(inode, session);
  }

  /** Returns the counts of the whole name space, with uncommitted changes. */
  SuperBlock superBlock() {
    return transaction.superBlock();
  }

  /** Returns an inode that was just changed, even if the batch is full. */
  Inode changed(long inode) {
    return inodes.get(inode);
  }

  /** Stores the answer to the change that was just made in the same batch, in place of the slot's previous one. */
  void keepAnswer(KeptAnswer.Place place, KeptAnswer answer) {
    records.keep(place, answer);
    transaction.keep();
  }

  /** Visits the stored answers in order, without uncommitted ones. */
  void forEachAnswer(BiConsumer<KeptAnswer.Place, KeptAnswer> visitor) {
    records.forEachAnswer(visitor);
  }

  /** Closes a session's open files, as many as fit into a batch; repeat it after a commit until it returns true. */
  public Result<Boolean> endSession(long session) {
    return operations.run(() -> {
      records.end(session);
      return opens.end(session);
    });
  }

  /** Records that a session may hold locks or have cached something: a restarted manager waits for it. */
  Result<Void> holds(long session) {
    return operations.run(() -> records.holds(session));
  }

  /** Returns sessions of {@link #holds} that have not ended, in order, without uncommitted ones. */
  List<Long> holders(long from, int limit) {
    return records.holders(from, limit);
  }

  /**
   * Whether this manager has restarted and does not know the open files yet. Until {@link #endRecovery}, no inode goes with its last name, and
   * returning clients report their open files. The caller checks their capabilities.
   */
  public boolean isRecovering() {
    return opens.isRecovering();
  }

  /** Records that a session had an inode open before the restart; EAGAIN if it is too late. */
  public Result<Inode> reclaim(long session, long inode, int access) {
    return operations.run(() -> {
      Refusal.unless(opens.isRecovering(), Errno.EAGAIN);
      return opening.again(session, inode, access);
    });
  }

  /** Records how often a session has an inode open, at any time; this replaces what is known here. ESTALE if the inode is gone. */
  Result<Inode> reclaim(long session, long inode, int access, int count) {
    return operations.run(() -> opening.reclaim(session, inode, new Opens.Held(count, access)));
  }

  /** Opens once more for a session a file that a previous manager created and opened for it, whatever its mode; ESTALE if it is gone. */
  Result<Inode> openMade(long session, long inode, int access) {
    return operations.run(() -> opening.again(session, inode, access));
  }

  /** All clients that come back have done so; repeat it after a commit until it returns true. */
  public Result<Boolean> endRecovery() {
    return operations.run(() -> {
      opens.endRecovery();
      return opens.end(Opens.RECOVERY);
    });
  }

  /**
   * Returns the sessions that have something open. After a start these are the sessions that had files without a name open. Such a file goes when each
   * of its sessions has come back and closed it, or was ended.
   */
  public List<Long> sessions() {
    return opens.sessions();
  }

  /** Returns the number of open files, once for each session. */
  int openCount() {
    return opens.size();
  }

  /** Returns unfinished intents from id {@code from} on; carry out only committed ones. */
  public List<Intent> intents(long from, int limit) {
    List<Intent> found = new ArrayList<>();
    for (MetadataStore.Entry entry : store.scan(Keys.INTENTS, Keys.intent(from), limit)) {
      found.add(Values.intent(Keys.number(entry.key()), entry.value()));
    }
    return found;
  }

  /** Whether the intent is unfinished. */
  boolean isIntended(long id) {
    return transaction.get(Keys.intent(id)) != null;
  }

  /** All its daemons have done the intent; ENOENT if it does not exist. */
  public Result<Void> intentDone(long id) {
    return operations.run(() -> inodes.forget(inodes.intent(id)));
  }

  /**
   * The daemons cannot do the intent. The file gets the given length, unless another one was reported since. The stored answer is removed, since it
   * said that the work was done. ENOENT if the intent does not exist.
   */
  public Result<Void> intentRefused(long id, long fileBytes) {
    List<KeptAnswer.Place> wrong = records.answersOf(id);
    return operations.run(() -> {
      inodes.refused(inodes.intent(id), fileBytes);
      wrong.forEach(records::forget);
    });
  }

  /** Returns the inodes whose attributes, names or extended attributes have changed since the last call, and possibly some more. */
  public Set<Long> takeChanged() {
    return inodes.takeChanged();
  }

  /** As {@link Inodes#takeRemoved}. */
  List<RemovedInode> takeRemoved() {
    return inodes.takeRemoved();
  }

  public Counts statfs() {
    SuperBlock block = transaction.superBlock();
    return new Counts(block.inodes(), block.orphans(), block.intents(), opens.size());
  }

  /** For tests that read the disk. */
  MetadataStore store() {
    return store;
  }
}
