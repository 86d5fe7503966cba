package dev.weft.pvfs.manager;

/**
 * On whose behalf an operation is done.
 *
 * @param uid of the user; 0 is root, who may do everything
 * @param gid first group
 * @param groups further groups; nobody changes the array
 */
public record Caller(int uid, int gid, int[] groups) {
  public static final Caller ROOT = new Caller(0, 0, new int[0]);

  boolean isRoot() {
    return uid == 0;
  }

  boolean isIn(int group) {
    for (int one : groups) {
      if (one == group) {
        return true;
      }
    }
    return gid == group;
  }

  boolean owns(Inode inode) {
    return isRoot() || uid == inode.uid();
  }
}
