package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import java.util.List;
import java.util.Set;

/**
 * The result of a check of all metadata in a running manager, at a moment when nothing waited for a commit.
 *
 * @param problem why the check could not run; empty if it ran
 * @param findings errors, or repaired errors
 * @param files all regular files, including open ones without a name
 * @param pending inodes for which daemons still have work to do
 * @param doubted inodes of which a record was lost, now or at an earlier repair
 */
public record Checked(String problem, List<Finding> findings, List<File> files, Set<Long> pending, Set<Long> doubted) {
  /**
   * A regular file.
   *
   * @param bytes its length, as the manager knows it
   * @param isLengthKnown whether that is certain; otherwise only the daemons know the length
   */
  public record File(long inode, Striping striping, long bytes, boolean isLengthKnown) {}

  static Checked failed(String problem) {
    return new Checked(problem, List.of(), List.of(), Set.of(), Set.of());
  }
}
