package dev.weft.pvfs.wire;

import java.util.List;

/**
 * The user on whose behalf a client acts.
 *
 * @param uid of the user; 0 is root, who may do everything
 * @param gid first group
 * @param groups further groups, {@value #GROUPS_MAX} at most
 * @param capabilities rights without being root: a bit for each of Linux's capabilities, and {@link #MORE_GROUPS}
 */
public record Caller(int uid, int gid, List<Integer> groups, long capabilities) {
  public static final int GROUPS_MAX = 512;

  // As in capabilities(7).
  public static final long CHOWN = 1;
  public static final long DAC_OVERRIDE = 1 << 1;
  public static final long DAC_READ_SEARCH = 1 << 2;
  public static final long FOWNER = 1 << 3;
  public static final long FSETID = 1 << 4;
  public static final long SYS_ADMIN = 1 << 21;
  public static final long MKNOD = 1 << 27;
  public static final long SETFCAP = 1L << 31;
  /** The caller is in more groups than fit into a request. A kernel that knows all of them has checked the request. */
  public static final long MORE_GROUPS = 1L << 62;
  /** All capabilities that matter to a file system. */
  public static final long ALL = CHOWN | DAC_OVERRIDE | DAC_READ_SEARCH | FOWNER | FSETID | SYS_ADMIN | MKNOD | SETFCAP;

  public static final Caller ROOT = new Caller(0, 0, List.of());

  public Caller {
    groups = List.copyOf(groups);
    if (groups.size() > GROUPS_MAX) {
      throw new IllegalArgumentException(groups.size() + " groups, may be " + GROUPS_MAX);
    }
  }

  /** A caller without capabilities. */
  public Caller(int uid, int gid, List<Integer> groups) {
    this(uid, gid, groups, 0);
  }

  public boolean isRoot() {
    return uid == 0;
  }

  /** Whether the caller has any of these capabilities; root has all. */
  public boolean can(long capability) {
    return isRoot() || (capabilities & capability) != 0;
  }

  /** Whether the caller is known to be in the group. */
  public boolean isIn(int group) {
    return gid == group || groups.contains(group);
  }

  /** Whether the caller is in the group, or may be because some of its groups are not listed. */
  public boolean mayBeIn(int group) {
    return isIn(group) || (capabilities & MORE_GROUPS) != 0;
  }
}
