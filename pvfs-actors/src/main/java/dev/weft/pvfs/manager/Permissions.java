package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;

/** Who may do what, as POSIX says it. */
final class Permissions {
  static final int READ = 4;
  static final int WRITE = 2;
  static final int EXECUTE = 1;

  private static final int ANY_EXECUTE = 0111;

  private Permissions() {}

  static boolean has(Caller caller, Inode inode, int wanted) {
    if (caller.isRoot()) {
      return (wanted & EXECUTE) == 0 || inode.isDirectory() || (inode.mode() & ANY_EXECUTE) != 0;
    }
    int shift = caller.uid() == inode.uid() ? 6 : caller.isIn(inode.gid()) ? 3 : 0;
    return (inode.mode() >>> shift & wanted) == wanted;
  }

  static boolean owns(Caller caller, Inode inode) {
    return caller.isRoot() || caller.uid() == inode.uid();
  }

  static void check(Caller caller, Inode inode, int wanted) {
    Refusal.unless(has(caller, inode, wanted), Errno.EACCES);
  }

  /** Whether a name may be added to a directory, which must have one itself. */
  static void checkAdd(Caller caller, Inode directory) {
    Refusal.unless(directory.links() > 0, Errno.ENOENT);
    check(caller, directory, WRITE | EXECUTE);
  }

  /** Whether a name may be taken from a directory; in one with the sticky bit only owners may. */
  static void checkRemove(Caller caller, Inode directory, Inode inode) {
    check(caller, directory, WRITE | EXECUTE);
    Refusal.unless((directory.mode() & Inode.STICKY) == 0 || owns(caller, directory) || owns(caller, inode), Errno.EPERM);
  }
}
