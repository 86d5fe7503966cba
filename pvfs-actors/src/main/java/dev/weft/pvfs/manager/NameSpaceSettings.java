package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;

/**
 * Settings of a {@link NameSpace}.
 *
 * @param daemons I/O daemons for new files, 1 to {@link Striping#DAEMONS_MAX}
 * @param defaults of files and directories without a wish
 * @param linksMax names of an inode, and subdirectories of a directory plus 2; 2 to 2^31 - 2. EMLINK beyond
 * @param opensMax pairs of a session and an open inode, each some hundred bytes of memory; 1 to 2^31 - 1. ENFILE beyond
 */
public record NameSpaceSettings(int daemons, StripingWish defaults, int linksMax, int opensMax) {
  private static final int LINKS_DEFAULT = 65_000;
  private static final int OPENS_DEFAULT = 1 << 20;

  public NameSpaceSettings {
    check("daemons", daemons, 1, Striping.DAEMONS_MAX);
    check("linksMax", linksMax, 2, Integer.MAX_VALUE - 1);
    check("opensMax", opensMax, 1, Integer.MAX_VALUE);
  }

  /** The default settings. */
  public static NameSpaceSettings of(int daemons) {
    return new NameSpaceSettings(daemons, StripingWish.NONE, LINKS_DEFAULT, OPENS_DEFAULT);
  }

  /** Returns these settings with other defaults; more daemons than exist mean all. */
  NameSpaceSettings withDefaults(StripingWish wish) {
    return new NameSpaceSettings(daemons, wish.fitted(daemons), linksMax, opensMax);
  }

  private static void check(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " of the manager is " + value + ", must be from " + min + " to " + max);
    }
  }
}
