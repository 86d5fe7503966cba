package dev.weft.pvfs.check;

import java.util.List;

/**
 * The results of a check.
 *
 * @param problems in the order of their detection; none in a sound file system
 * @param files number of regular files
 * @param objects number of their objects at daemons
 */
public record Report(List<Problem> problems, int files, int objects) {
  public boolean isClean() {
    return problems.isEmpty();
  }
}
