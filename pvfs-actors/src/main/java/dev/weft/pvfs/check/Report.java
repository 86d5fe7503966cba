package dev.weft.pvfs.check;

import java.util.List;

/**
 * What a check has found.
 *
 * @param problems in the order in which they were found; none in a sound file system
 * @param files regular files that there were
 * @param objects of them at daemons
 */
public record Report(List<Problem> problems, int files, int objects) {
  public boolean isClean() {
    return problems.isEmpty();
  }
}
