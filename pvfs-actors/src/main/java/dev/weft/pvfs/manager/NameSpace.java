package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The name space of a file system: every decision of the manager, without actors and clocks. {@code nowNs} is the time since 1970.
 *
 * <p>An operation happens at once and is seen by those behind it, but nobody may be answered before {@link #commit} has returned: not those that changed
 * something, and not those that have seen it. A commit that fails undoes all operations since the one before. An operation that is refused has changed
 * nothing. What is refused is said by the numbers of {@link Errno}; EAGAIN asks for a commit first. A store that fails is a {@link StoreException}: the
 * operation has not happened.
 *
 * <p>Inodes are named by their numbers; one that is gone is ESTALE. Names are bytes. The times of access do not follow reads; clients report them if they
 * want. One thread.
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
  /** Entries that {@link #intents} may be asked for at once. */
  public static final int INTENTS_MAX = MetadataStore.SCAN_MAX;
  private static final int ANSWERS_PAGE = 1024;

  private final MetadataStore store;
  private final Transaction transaction;
  private final Inodes inodes;
  private final Entries entries;
  private final Opens opens;
  private final Links links;
  private final Creation creation;
  private final Walk walk;
  private final Renames renames;
  private final Attributes attributes;
  private final Xattrs xattrs;

  private NameSpace(MetadataStore store, NameSpaceSettings settings) {
    this.store = store;
    transaction = new Transaction(store);
    inodes = new Inodes(transaction);
    entries = new Entries(transaction, inodes);
    opens = new Opens(transaction, inodes, settings.opensMax());
    links = new Links(inodes, entries, opens, settings.linksMax());
    creation = new Creation(transaction, inodes, entries, links, settings);
    walk = new Walk(transaction, inodes, entries);
    renames = new Renames(inodes, entries, links, creation);
    attributes = new Attributes(inodes);
    xattrs = new Xattrs(transaction, inodes);
  }

  /**
   * The name space that a store has; in an empty one a root directory is made.
   *
   * @throws StoreException if the store cannot be read, or was written by a newer manager
   */
  public static NameSpace open(MetadataStore store, NameSpaceSettings settings, long nowNs) {
    return open(store, settings, null, nowNs);
  }

  /** The same, which has to be {@code label}; one that has no label yet gets it. Null takes any. */
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

  /** Which file system this is; null if nobody has said that. */
  FileSystemLabel label() {
    byte[] value = transaction.get(Keys.LABEL);
    return value == null ? null : Values.label(value);
  }

  /** Which one a store has, which nobody uses; null if it has none. */
  public static FileSystemLabel labelOf(MetadataStore store) {
    byte[] value = store.get(Keys.LABEL);
    return value == null ? null : Values.label(value);
  }

  /** Whether a store, which nobody uses, has more than a root directory. */
  public static boolean isInUse(MetadataStore store) {
    return store.scan(Keys.INODES, Keys.INODES, 2).size() > 1;
  }

  /** Goes on where {@code before} was, on the same store: sessions keep what they have open. */
  void takeOver(NameSpace before) {
    opens.takeOver(before.opens);
  }

  private <T> Result<T> run(Supplier<T> operation) {
    if (transaction.isLarge()) {
      return Result.error(Errno.EAGAIN);
    }
    boolean isDone = false;
    try {
      T value = operation.get();
      transaction.keep();
      isDone = true;
      return Result.ok(value);
    } catch (Refusal refusal) {
      return Result.error(refusal.errno());
    } finally {
      if (!isDone) {
        transaction.drop();
      }
    }
  }

  private Result<Void> run(Runnable operation) {
    return run(() -> {
      operation.run();
      return null;
    });
  }

  /** One that needs room, and touches nothing but the store; what makes room goes on when there is none. Where it is wrong otherwise it says that. */
  private <T> Result<T> add(Supplier<T> operation) {
    boolean isFull = transaction.isFull();
    return run(() -> {
      T made = operation.get();
      Refusal.unless(!isFull, Errno.ENOSPC);
      return made;
    });
  }

  /** Whether an answer has to wait for {@link #commit}. */
  public boolean hasChanges() {
    return transaction.hasChanges();
  }

  /**
   * Writes all operations since the last time, with one sync.
   *
   * @throws StoreException if none of them is written: none has happened then, and each is to be answered EIO
   */
  public void commit() {
    transaction.commit();
  }

  /** Whether the store can be used; if not, open both again. */
  public boolean isUsable() {
    return store.isOpen();
  }

  /** What a name of a directory leads to; "." and ".." as well. */
  public Result<Inode> lookup(Caller caller, long parent, byte[] name) {
    return run(() -> walk.step(caller, inodes.directory(parent), name));
  }

  /**
   * What a path leads to, over 40 symbolic links at most.
   *
   * @param start directory of a path that does not begin with a slash
   * @param path at most 4095 bytes
   * @param followLast whether a symbolic link at its end is followed
   */
  public Result<Inode> walk(Caller caller, long start, byte[] path, boolean followLast) {
    return run(() -> walk.walk(caller, start, path, followLast));
  }

  public Result<Inode> getattr(long inode) {
    return run(() -> inodes.get(inode));
  }

  /** Changes attributes; {@code session} matters for {@link AttributeChange#BY_HANDLE} only. A new size is an {@link Intent}, too. */
  public Result<Inode> setattr(Caller caller, long session, long inode, AttributeChange change, long nowNs) {
    return run(() -> {
      if ((change.mask() & AttributeChange.SIZE) != 0) {
        opens.requireUnmapped(session, inode);
      }
      return attributes.set(caller, inodes.get(inode), change, opens.isOpenFor(inode, session, Capability.WRITE), nowNs);
    });
  }

  /**
   * What a client has written: the size as far as it knows, negative if it does not.
   * Other times and the rights of set-id programs follow. EBADF if it may not write.
   *
   * @param keepsTimes whether somebody has set the times since
   * @param wroteNs when it was written last, which is the time of its last change unless another one has written it, or has set its time, later
   */
  public Result<Inode> wrote(Caller caller, long session, long inode, long sizeBytes, boolean keepsTimes, long wroteNs, long nowNs) {
    return run(() -> {
      Inode found = inodes.get(inode);
      Refusal.unless(opens.isOpenFor(inode, session, Capability.WRITE | Capability.APPEND), Errno.EBADF);
      InodeDraft draft = keepsTimes ? found.draft() : found.draft().written(wroteNs, nowNs);
      draft.sizeHint = sizeBytes < 0 ? found.sizeHint() : sizeBytes;
      if (!caller.can(Caller.FSETID)) {
        draft.dropSetIds();
      }
      return inodes.put(draft);
    });
  }

  /** OK, or EACCES if the caller lacks one of {@link #READ}, {@link #WRITE} and {@link #EXECUTE}. */
  public Result<Void> access(Caller caller, long inode, int wanted) {
    return run(() -> Permissions.check(caller, inodes.get(inode), wanted));
  }

  /**
   * Makes a regular file and opens it, whatever its mode, or opens the one that is there.
   *
   * @param mode permissions, after the umask
   * @param exclusive EEXIST if it is there
   * @param wish null for that of the directory
   * @param access as of {@link #open}; 0 does not open it
   */
  public Result<Inode> create(Caller caller, long parent, byte[] name, int mode, boolean exclusive, StripingWish wish, long session, int access,
      long nowNs) {
    boolean isFull = transaction.isFull();
    return run(() -> {
      Inode directory = inodes.directory(parent);
      Entries.Entry there = exclusive || Entries.isDots(name) ? null : entries.find(parent, name);
      if (there != null) {
        Permissions.check(caller, directory, Permissions.EXECUTE);
        return access == 0 ? inodes.get(there.inode()) : openInode(caller, session, inodes.get(there.inode()), access, nowNs);
      }
      Inode made = creation.regular(caller, parent, name, mode, wish, nowNs);
      Refusal.unless(!isFull, Errno.ENOSPC);
      if (access != 0) {
        checkSession(session, access);
        hold(session, made, access);
      }
      return made;
    });
  }

  public Result<Inode> mkdir(Caller caller, long parent, byte[] name, int mode, long nowNs) {
    return add(() -> creation.directory(caller, parent, name, mode, nowNs));
  }

  /**
   * Makes a regular file, a fifo, a socket or a device, as the type bits of {@code mode} say. A device needs the right to make one, except character device 0,
   * which is a whiteout.
   */
  public Result<Inode> mknod(Caller caller, long parent, byte[] name, int mode, int device, long nowNs) {
    FileType type = FileType.ofMode(mode);
    boolean isWhiteout = type == FileType.CHARACTER && device == 0;
    return add(() -> {
      Refusal.unless(type != FileType.SYMLINK, Errno.EINVAL);
      Refusal.unless(type != null && type != FileType.DIRECTORY, Errno.EPERM);
      Refusal.unless(!type.isDevice() || isWhiteout || Permissions.makesDevices(caller), Errno.EPERM);
      return type == FileType.REGULAR ? creation.regular(caller, parent, name, mode, null, nowNs)
          : creation.special(caller, parent, name, type, mode, device, nowNs);
    });
  }

  /**
   * Makes a symbolic link.
   *
   * @param target 1 to 4095 bytes
   */
  public Result<Inode> symlink(Caller caller, long parent, byte[] name, byte[] target, long nowNs) {
    return add(() -> creation.symlink(caller, parent, name, target, nowNs));
  }

  public Result<byte[]> readlink(long inode) {
    return run(() -> {
      Refusal.unless(inodes.get(inode).type() == FileType.SYMLINK, Errno.EINVAL);
      return walk.target(inode);
    });
  }

  public Result<Inode> link(Caller caller, long inode, long parent, byte[] name, long nowNs) {
    return add(() -> links.link(caller, inode, parent, name, nowNs));
  }

  /** Takes a name away. With the last one the inode goes, now or when nobody has it open any more, and an {@link Intent} removes its objects. */
  public Result<Void> unlink(Caller caller, long parent, byte[] name, long nowNs) {
    return run(() -> links.unlink(caller, parent, name, nowNs));
  }

  public Result<Void> rmdir(Caller caller, long parent, byte[] name, long nowNs) {
    return run(() -> links.rmdir(caller, parent, name, nowNs));
  }

  /**
   * Gives a file another name, or exchanges two.
   *
   * @param flags 0, {@link #RENAME_NOREPLACE} or {@link #RENAME_EXCHANGE}; the first also with {@link #RENAME_WHITEOUT}, which stands alone, too
   */
  public Result<Void> rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags, long nowNs) {
    boolean isFull = (flags & RENAME_WHITEOUT) != 0 && transaction.isFull();
    return isFull ? Result.error(Errno.ENOSPC) : run(() -> renames.rename(caller, from, name, to, newName, flags, nowNs));
  }

  /**
   * A page of a directory, which the session has opened or the caller may read.
   *
   * @param cookie of the entry before the first one, 0 at the beginning
   * @param maxBytes as the kernel counts a page; EINVAL if the first entry does not fit
   * @param withAttributes whether each entry has the inode, too
   * @return nothing at the end
   */
  public Result<List<DirEntry>> readdir(Caller caller, long session, long directory, long cookie, int maxBytes, boolean withAttributes) {
    return run(() -> {
      Inode inode = inodes.directory(directory);
      if (!opens.isOpen(directory, session)) {
        Permissions.check(caller, inode, Permissions.READ);
      }
      return entries.page(inode, cookie, maxBytes, withAttributes);
    });
  }

  /** What new files and directories in this one inherit; for its owner. */
  public Result<Inode> setDefaultStriping(Caller caller, long directory, StripingWish wish, long nowNs) {
    return run(() -> creation.setDefault(caller, directory, wish, nowNs));
  }

  public Result<byte[]> getxattr(Caller caller, long inode, byte[] name) {
    return run(() -> xattrs.get(caller, inode, name));
  }

  /**
   * Sets an extended attribute.
   *
   * @param flags 0, {@link #XATTR_CREATE} or {@link #XATTR_REPLACE}
   */
  public Result<Void> setxattr(Caller caller, long inode, byte[] name, byte[] value, int flags, long nowNs) {
    return transaction.isFull() ? Result.error(Errno.ENOSPC) : run(() -> xattrs.set(caller, inode, name, value, flags, nowNs));
  }

  public Result<List<byte[]>> listxattr(Caller caller, long inode) {
    return run(() -> xattrs.list(caller, inode));
  }

  public Result<Void> removexattr(Caller caller, long inode, byte[] name, long nowNs) {
    return run(() -> xattrs.remove(caller, inode, name, nowNs));
  }

  /**
   * Opens an inode for a session, which keeps it until as many calls of {@link #close}, or until the session ends.
   *
   * @param session larger than 0
   * @param access some of {@link Capability}; TRUNCATE empties the file, and needs WRITE
   */
  public Result<Inode> open(Caller caller, long session, long inode, int access, long nowNs) {
    return run(() -> openInode(caller, session, inodes.get(inode), access, nowNs));
  }

  private Inode openInode(Caller caller, long session, Inode inode, int access, long nowNs) {
    checkSession(session, access);
    int writes = Capability.WRITE | Capability.APPEND | Capability.TRUNCATE;
    Refusal.unless(inode.type() != FileType.SYMLINK, Errno.ELOOP);
    Refusal.unless(!inode.isDirectory() || (access & writes) == 0, Errno.EISDIR);
    Permissions.check(caller, inode, ((access & Capability.READ) != 0 ? Permissions.READ : 0) | ((access & writes) != 0 ? Permissions.WRITE : 0));
    hold(session, inode, access);
    if ((access & Capability.TRUNCATE) == 0 || !inode.isRegular()) {
      return inode;
    }
    return attributes.set(caller, inode, new AttributeChange(AttributeChange.SIZE, 0, 0, 0, 0, 0, 0), true, nowNs);
  }

  private void hold(long session, Inode inode, int access) {
    opens.open(session, inode, access);
    if (inode.isRegular() && (access & (Capability.WRITE | Capability.APPEND)) != 0) {
      inodes.lengthOpen(inode.number());
    }
  }

  private static void checkSession(long session, int access) {
    Refusal.unless(session > Opens.RECOVERY && (access & ~(Capability.ACCESS_MASK | Capability.MAPPED)) == 0, Errno.EINVAL);
  }

  /** What the session had open to map it is about to be closed. */
  void unmapped(long session, long inode) {
    opens.unmapped(session, inode);
  }

  /** EBADF if the session does not have it open. */
  public Result<Void> close(long session, long inode) {
    return run(() -> opens.close(session, inode));
  }

  /**
   * The same, where nobody need wait for a commit because of it: it cannot fail any more, and a crash undoes nothing that matters.
   *
   * @return false if it is not so; nothing was done then
   */
  boolean closeForGood(long session, long inode) {
    return opens.closeForGood(session, inode);
  }

  /** The same as {@link #lengthKnown} behind that: it is written with the next commit; a manager that starts again before asks the daemons. */
  void lengthKnownLoosely(long inode) {
    inodes.lengthKnown(inode);
    transaction.keepLoosely();
  }

  /** Whether operations wait for a commit that were not done for good. */
  boolean isAwaited() {
    return transaction.isAwaited();
  }

  /** Whether {@link #closeForGood} has left so much that it has to be written. */
  boolean isOverdue() {
    return transaction.isOverdue();
  }

  /** Writes what {@link #commit} leaves for later, too. */
  void commitAll() {
    transaction.commitLoose();
  }

  /** The length that was reported last is that of the file: nobody writes it, and nobody has since. */
  Result<Void> lengthKnown(long inode) {
    return run(() -> inodes.lengthKnown(inode));
  }

  /** Files of which only the daemons know how long they are, the numbers from {@code from} on. */
  List<Long> openLengths(long from, int limit) {
    return store.scan(Keys.LENGTHS, Keys.length(from), limit).stream().map(entry -> Keys.number(entry.key())).toList();
  }

  /** What a session may do with an inode that it has open; 0 if it has not. */
  int accessOf(long session, long inode) {
    return opens.accessOf(inode, session);
  }

  /** Of the whole name space, with what is not committed. */
  SuperBlock superBlock() {
    return transaction.superBlock();
  }

  /** An inode that was just changed, also where the batch is as large as it may be. */
  Inode changed(long inode) {
    return inodes.get(inode);
  }

  /** Keeps the answer to a change that was just done, in the same batch, in place of the one that was there. */
  void keepAnswer(KeptAnswer.Place place, KeptAnswer answer) {
    transaction.put(Keys.answer(place.session(), place.slot()), Values.answer(answer));
    transaction.keep();
  }

  /** Shows the answers that are kept, in their order; what is not committed is not among them. */
  void forEachAnswer(BiConsumer<KeptAnswer.Place, KeptAnswer> visitor) {
    byte[] from = Keys.ANSWERS;
    List<MetadataStore.Entry> page;
    do {
      page = store.scan(Keys.ANSWERS, from, ANSWERS_PAGE);
      for (MetadataStore.Entry entry : page) {
        visitor.accept(Keys.place(entry.key()), Values.answer(entry.value()));
        from = Keys.after(entry.key());
      }
    } while (page.size() == ANSWERS_PAGE);
  }

  /** Closes what a session has open, as much as a batch bears; to be called again, behind a commit, until the answer is true. */
  public Result<Boolean> endSession(long session) {
    return run(() -> {
      transaction.scan(Keys.answers(session), Keys.answers(session), MetaRequest.SLOTS).forEach(entry -> transaction.delete(entry.key()));
      if (transaction.get(Keys.holder(session)) != null) {
        transaction.delete(Keys.holder(session));
      }
      return opens.end(session);
    });
  }

  /** Notes that a session may hold locks or remember something: a manager that starts again waits for it. */
  Result<Void> holds(long session) {
    return run(() -> transaction.put(Keys.holder(session), Values.nothing()));
  }

  /** Sessions of {@link #holds} that have not ended, in their order; what is not committed is not among them. */
  List<Long> holders(long from, int limit) {
    return store.scan(Keys.HOLDERS, Keys.holder(from), limit).stream().map(entry -> Keys.number(entry.key())).toList();
  }

  /**
   * A manager that has started again does not know who has what open. Until {@link #endRecovery}, nothing goes with its last name, and clients that come
   * back say what they have open, by capabilities that somebody else checks.
   */
  public boolean isRecovering() {
    return opens.isRecovering();
  }

  /** A session has had an inode open before the manager started again; EAGAIN if that is too late. */
  public Result<Inode> reclaim(long session, long inode, int access) {
    return run(() -> {
      Refusal.unless(opens.isRecovering(), Errno.EAGAIN);
      checkSession(session, access);
      Inode found = inodes.get(inode);
      hold(session, found, access);
      return found;
    });
  }

  /** The same, at any time, with how often it was open: that counts, whatever is known of it here. ESTALE if the inode is gone. */
  Result<Inode> reclaim(long session, long inode, int access, int count) {
    return run(() -> {
      checkSession(session, access);
      Refusal.unless(count > 0, Errno.EINVAL);
      Inode found = inodes.get(inode);
      opens.reclaim(session, found, new Opens.Held(count, access));
      if (found.isRegular() && (access & (Capability.WRITE | Capability.APPEND)) != 0) {
        inodes.lengthOpen(inode);
      }
      return found;
    });
  }

  /** Opens once more for a session what a manager before has made, and opened, for it, whatever its mode; ESTALE if it is gone. */
  Result<Inode> openMade(long session, long inode, int access) {
    return run(() -> {
      checkSession(session, access);
      Inode found = inodes.get(inode);
      hold(session, found, access);
      return found;
    });
  }

  /** All clients have come back that will; to be called again, behind a commit, until the answer is true. */
  public Result<Boolean> endRecovery() {
    return run(() -> {
      opens.endRecovery();
      return opens.end(Opens.RECOVERY);
    });
  }

  /** Sessions that have something open; after a start those that had files without a name, which go when each has come back and closed or was ended. */
  public List<Long> sessions() {
    return opens.sessions();
  }

  /** Files that are open, once for each session. */
  int openCount() {
    return opens.size();
  }

  /** Effects on daemons that are not done, the ids from {@code from} on; only those that are committed are to be carried out. */
  public List<Intent> intents(long from, int limit) {
    List<Intent> found = new ArrayList<>();
    for (MetadataStore.Entry entry : store.scan(Keys.INTENTS, Keys.intent(from), limit)) {
      found.add(Values.intent(Keys.number(entry.key()), entry.value()));
    }
    return found;
  }

  /** Whether daemons have not done it yet. */
  boolean isIntended(long id) {
    return transaction.get(Keys.intent(id)) != null;
  }

  /** All daemons that it concerns have done it; ENOENT if there is none. */
  public Result<Void> intentDone(long id) {
    return run(() -> inodes.forget(inodes.intent(id)));
  }

  /**
   * The daemons cannot do it; the file has so many bytes, unless its length was reported since. The answer to who asked for it is not kept any more: it said
   * that it was done. ENOENT if there is none.
   */
  public Result<Void> intentRefused(long id, long fileBytes) {
    List<KeptAnswer.Place> wrong = new ArrayList<>();
    forEachAnswer((place, answer) -> {
      if (answer.intent() == id) {
        wrong.add(place);
      }
    });
    return run(() -> {
      inodes.refused(inodes.intent(id), fileBytes);
      wrong.forEach(place -> transaction.delete(Keys.answer(place.session(), place.slot())));
    });
  }

  /** Inodes whose attributes, names or extended attributes operations have changed since the last time, and perhaps some more. */
  public Set<Long> takeChanged() {
    return inodes.takeChanged();
  }

  /** As {@link Inodes#takeRemoved}. */
  List<Graves.Removed> takeRemoved() {
    return inodes.takeRemoved();
  }

  public Counts statfs() {
    SuperBlock block = transaction.superBlock();
    return new Counts(block.inodes(), block.orphans(), block.intents(), opens.size());
  }

  /** For tests that look at what is on disk. */
  MetadataStore store() {
    return store;
  }
}
