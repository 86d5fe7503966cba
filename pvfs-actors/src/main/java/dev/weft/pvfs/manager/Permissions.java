package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;

/** Permission checks according to POSIX. */
final class Permissions {
  static final int READ = 4;
  static final int WRITE = 2;
  static final int EXECUTE = 1;

  private static final int ANY_EXECUTE = 0111;
  private static final int OWNER_SHIFT = 6;
  private static final int GROUP_SHIFT = 3;

  private Permissions() {}

  static boolean has(Caller caller, Inode inode, int wanted) {
    if (caller.can(Caller.DAC_OVERRIDE) && ((wanted & EXECUTE) == 0 || inode.isDirectory() || (inode.mode() & ANY_EXECUTE) != 0)) {
      return true;
    }
    if (caller.can(Caller.DAC_READ_SEARCH) && (wanted == READ || inode.isDirectory() && (wanted & WRITE) == 0)) {
      return true;
    }
    return !caller.isRoot() && allows(caller, inode, wanted);
  }

  private static boolean allows(Caller caller, Inode inode, int wanted) {
    if (caller.uid() == inode.uid()) {
      return (inode.mode() >>> OWNER_SHIFT & wanted) == wanted;
    }
    boolean allowsGroup = (inode.mode() >>> GROUP_SHIFT & wanted) == wanted;
    boolean allowsOthers = (inode.mode() & wanted) == wanted;
    return caller.isIn(inode.gid()) ? allowsGroup : allowsOthers || allowsGroup && caller.mayBeIn(inode.gid());
  }

  static boolean owns(Caller caller, Inode inode) {
    return caller.can(Caller.FOWNER) || caller.uid() == inode.uid();
  }

  static boolean makesDevices(Caller caller) {
    return caller.can(Caller.MKNOD);
  }

  static void check(Caller caller, Inode inode, int wanted) {
    Refusal.unless(has(caller, inode, wanted), Errno.EACCES);
  }

  /** Checks that a name may be added to a directory, which must itself have one. */
  static void checkAdd(Caller caller, Inode directory) {
    Refusal.unless(directory.links() > 0, Errno.ENOENT);
    check(caller, directory, WRITE | EXECUTE);
  }

  /** Checks that a name may be removed from a directory; with the sticky bit only owners may. */
  static void checkRemove(Caller caller, Inode directory, Inode inode) {
    check(caller, directory, WRITE | EXECUTE);
    Refusal.unless((directory.mode() & Inode.STICKY) == 0 || owns(caller, directory) || owns(caller, inode), Errno.EPERM);
  }
}
