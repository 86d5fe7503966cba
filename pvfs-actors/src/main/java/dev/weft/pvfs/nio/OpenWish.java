package dev.weft.pvfs.nio;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * How a channel is to be opened.
 *
 * @param syncs whether each write waits until its data is on the disks of the daemons
 * @param forFile the options for the native interface
 */
record OpenWish(boolean reads, boolean writes, boolean appends, boolean syncs, boolean deletesOnClose, boolean follows, OpenOption[] forFile) {
  /**
   * Parses options.
   *
   * @throws IllegalArgumentException for options that exclude each other
   * @throws UnsupportedOperationException for unknown ones
   */
  static OpenWish of(Set<? extends OpenOption> options) {
    for (OpenOption each : options) {
      if (!(each instanceof StandardOpenOption) && each != LinkOption.NOFOLLOW_LINKS) {
        throw each == null ? new NullPointerException("an open option") : new UnsupportedOperationException("open option " + each
            + "; there are the standard ones and NOFOLLOW_LINKS");
      }
    }
    boolean appends = options.contains(StandardOpenOption.APPEND);
    boolean writes = appends || options.contains(StandardOpenOption.WRITE);
    boolean reads = options.contains(StandardOpenOption.READ) || !writes;
    boolean truncates = options.contains(StandardOpenOption.TRUNCATE_EXISTING) && writes;
    if (appends && (reads || truncates)) {
      throw new IllegalArgumentException("APPEND with " + (reads ? "READ" : "TRUNCATE_EXISTING") + ", which exclude each other");
    }
    boolean follows = !options.contains(LinkOption.NOFOLLOW_LINKS) && !options.contains(StandardOpenOption.DELETE_ON_CLOSE);
    List<OpenOption> forFile = new ArrayList<>();
    add(forFile, reads, StandardOpenOption.READ);
    add(forFile, writes, StandardOpenOption.WRITE);
    add(forFile, appends, StandardOpenOption.APPEND);
    add(forFile, truncates, StandardOpenOption.TRUNCATE_EXISTING);
    add(forFile, writes && options.contains(StandardOpenOption.CREATE_NEW), StandardOpenOption.CREATE_NEW);
    add(forFile, writes && options.contains(StandardOpenOption.CREATE), StandardOpenOption.CREATE);
    add(forFile, !follows, LinkOption.NOFOLLOW_LINKS);
    return new OpenWish(reads, writes, appends, options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC),
        options.contains(StandardOpenOption.DELETE_ON_CLOSE), follows, forFile.toArray(OpenOption[]::new));
  }

  private static void add(List<OpenOption> to, boolean isWished, OpenOption option) {
    if (isWished) {
      to.add(option);
    }
  }
}
