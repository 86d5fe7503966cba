package dev.weft.pvfs.wire;

import java.util.List;

/**
 * On whose behalf a client asks.
 *
 * @param uid of the user; 0 is root, who may do everything
 * @param gid first group
 * @param groups further groups, {@value #GROUPS_MAX} at most
 */
public record Caller(int uid, int gid, List<Integer> groups) {
  public static final int GROUPS_MAX = 32;
  public static final Caller ROOT = new Caller(0, 0, List.of());

  public Caller {
    groups = List.copyOf(groups);
    if (groups.size() > GROUPS_MAX) {
      throw new IllegalArgumentException(groups.size() + " groups, may be " + GROUPS_MAX);
    }
  }

  public boolean isRoot() {
    return uid == 0;
  }

  /** Whether it is one of the groups. */
  public boolean isIn(int group) {
    return gid == group || groups.contains(group);
  }
}
