package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaRequest;

/** Creates inodes. */
final class Creation {
  private static final int DIRECTORY_LINKS = 2;

  private final Transaction transaction;
  private final Inodes inodes;
  private final Entries entries;
  private final Links links;
  private final int daemons;
  private final StripingWish defaults;

  Creation(Transaction transaction, Inodes inodes, Entries entries, Links links, NameSpaceSettings settings) {
    this.transaction = transaction;
    this.inodes = inodes;
    this.entries = entries;
    this.links = links;
    this.daemons = settings.daemons();
    this.defaults = settings.defaults();
  }

  /** Creates the root of a new file system; root owns it. */
  void root(long nowNs) {
    InodeDraft root = inodes.add(FileType.DIRECTORY);
    root.mode = 0755;
    root.links = DIRECTORY_LINKS;
    root.parent = Inode.ROOT;
    root.atimeNs = nowNs;
    inodes.put(root.modified(nowNs));
  }

  private InodeDraft draft(Caller caller, Inode parent, FileType type, int mode, long nowNs) {
    InodeDraft draft = inodes.add(type).modified(nowNs).links(1);
    draft.atimeNs = nowNs;
    draft.mode = mode & Inode.MODE_MASK;
    draft.uid = caller.uid();
    draft.gid = caller.gid();
    if ((parent.mode() & Inode.SETGID) != 0) {
      draft.gid = parent.gid();
      if (type == FileType.DIRECTORY) {
        draft.mode |= Inode.SETGID;
      }
    }
    if (type != FileType.DIRECTORY && !caller.can(Caller.FSETID) && !caller.mayBeIn(draft.gid)) {
      draft.mode &= ~Inode.SETGID;
    }
    return draft;
  }

  private Inode add(Inode parent, byte[] name, InodeDraft draft, long nowNs) {
    Inode inode = inodes.put(draft);
    entries.add(parent.number(), name, inode, inode.isDirectory() ? 1 : 0, nowNs);
    return inode;
  }

  Inode regular(Caller caller, long parent, byte[] name, int mode, StripingWish wish, long nowNs) {
    Inode directory = links.checkNew(caller, parent, name);
    Striping striping = striping(wish == null ? directory.wish().fitted(daemons) : wish);
    InodeDraft draft = draft(caller, directory, FileType.REGULAR, mode, nowNs);
    draft.striping = striping;
    return add(directory, name, draft, nowNs);
  }

  private Striping striping(StripingWish wish) {
    try {
      Striping striping = wish.orElse(defaults).resolve(daemons, (int) (transaction.superBlock().nextBase() % daemons));
      if (wish.base() == StripingWish.ANY) {
        transaction.superBlock(transaction.superBlock().spread());
      }
      return striping;
    } catch (IllegalArgumentException e) {
      throw new Refusal(Errno.EINVAL);
    }
  }

  Inode directory(Caller caller, long parent, byte[] name, int mode, long nowNs) {
    Inode directory = links.checkNew(caller, parent, name);
    links.checkRoom(directory);
    InodeDraft draft = draft(caller, directory, FileType.DIRECTORY, mode, nowNs);
    draft.links = DIRECTORY_LINKS;
    draft.parent = parent;
    draft.wish = directory.wish();
    return add(directory, name, draft, nowNs);
  }

  /** As {@link NameSpace#mknod}. */
  Inode node(Caller caller, long parent, byte[] name, int mode, int device, long nowNs) {
    FileType type = FileType.ofMode(mode);
    boolean isWhiteout = type == FileType.CHARACTER && device == 0;
    Refusal.unless(type != FileType.SYMLINK, Errno.EINVAL);
    Refusal.unless(type != null && type != FileType.DIRECTORY, Errno.EPERM);
    Refusal.unless(!type.isDevice() || isWhiteout || Permissions.makesDevices(caller), Errno.EPERM);
    return type == FileType.REGULAR ? regular(caller, parent, name, mode, null, nowNs) : special(caller, parent, name, type, mode, device, nowNs);
  }

  /** Creates a fifo, a socket or a device. */
  private Inode special(Caller caller, long parent, byte[] name, FileType type, int mode, int device, long nowNs) {
    Inode directory = links.checkNew(caller, parent, name);
    InodeDraft draft = draft(caller, directory, type, mode, nowNs);
    draft.device = type.isDevice() ? device : 0;
    return add(directory, name, draft, nowNs);
  }

  /** Creates what RENAME_WHITEOUT leaves in place of a name: with it, an overlay file system hides the file below. */
  void whiteout(Caller caller, Inode parent, byte[] name, long nowNs) {
    add(inodes.get(parent.number()), name, draft(caller, parent, FileType.CHARACTER, 0, nowNs), nowNs);
  }

  Inode symlink(Caller caller, long parent, byte[] name, byte[] target, long nowNs) {
    Refusal.unless(target.length > 0, Errno.ENOENT);
    Refusal.unless(target.length <= MetaRequest.PATH_BYTES_MAX, Errno.ENAMETOOLONG);
    for (byte one : target) {
      Refusal.unless(one != 0, Errno.EINVAL);
    }
    Inode directory = links.checkNew(caller, parent, name);
    InodeDraft draft = draft(caller, directory, FileType.SYMLINK, 0777, nowNs);
    draft.sizeHint = target.length;
    transaction.put(Keys.target(draft.number), Values.bytes(target));
    return add(directory, name, draft, nowNs);
  }

  /** Sets the striping of new files in a directory. */
  Inode setDefault(Caller caller, long number, StripingWish wish, long nowNs) {
    Inode directory = inodes.directory(number);
    Refusal.unless(Permissions.owns(caller, directory), Errno.EPERM);
    try {
      wish.resolve(daemons, 0);
    } catch (IllegalArgumentException e) {
      throw new Refusal(Errno.EINVAL);
    }
    InodeDraft draft = directory.draft().changed(nowNs);
    draft.wish = wish;
    return inodes.put(draft);
  }
}
