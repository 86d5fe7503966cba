package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import java.util.List;
import java.util.Set;

/**
 * What a look through the metadata of a manager that runs has shown, at a moment when nothing waited for a commit.
 *
 * @param problem why there was none; empty if there was
 * @param findings what is wrong, or was, where it was mended
 * @param files regular ones, those included that are open and have no name
 * @param pending inodes that daemons have to do something for still
 * @param doubted inodes of which a record was lost, now or at an earlier repair
 */
public record Checked(String problem, List<Finding> findings, List<File> files, Set<Long> pending, Set<Long> doubted) {
  /**
   * A regular file.
   *
   * @param bytes its length, as the manager knows it
   * @param isLengthKnown whether it knows that; otherwise only the daemons do
   */
  public record File(long inode, Striping striping, long bytes, boolean isLengthKnown) {}

  static Checked failed(String problem) {
    return new Checked(problem, List.of(), List.of(), Set.of(), Set.of());
  }
}
