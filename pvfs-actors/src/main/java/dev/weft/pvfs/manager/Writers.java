package dev.weft.pvfs.manager;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Of which files only the daemons know how long they are: those that somebody may be writing, and those of which nobody has said a length that is sure,
 * because several had them open at a time, or one went without a word. Bound: files that there are. One thread.
 */
final class Writers {
  private static final class File {
    int writers;
    /** Several had it open to be written at a time: each may have seen a length that another one has changed since. */
    boolean hasOverlapped;
  }

  private final Map<Long, Map<Long, Integer>> sessions = new HashMap<>();
  private final Map<Long, File> files = new HashMap<>();
  private final Set<Long> unsure = new HashSet<>();

  void opened(long session, long inode) {
    sessions.computeIfAbsent(session, _ -> new HashMap<>()).merge(inode, 1, Integer::sum);
    File file = files.computeIfAbsent(inode, _ -> new File());
    file.writers++;
    file.hasOverlapped |= file.writers > 1;
  }

  /**
   * One of those that had it open to be written has closed it.
   *
   * @param hasLength whether it said a length
   * @param isUnchanged whether it has written nothing
   */
  void closed(long session, long inode, boolean hasLength, boolean isUnchanged) {
    Map<Long, Integer> of = sessions.get(session);
    if (of == null || !of.containsKey(inode)) {
      return;
    }
    of.computeIfPresent(inode, (_, count) -> count == 1 ? null : count - 1);
    if (of.isEmpty()) {
      sessions.remove(session);
    }
    File file = files.get(inode);
    if (file.hasOverlapped || !hasLength && !isUnchanged) {
      unsure.add(inode);
    } else if (hasLength) {
      unsure.remove(inode);
    }
    left(inode, file, 1);
  }

  /** Nobody has said a length that is sure. */
  void unsure(long inode) {
    unsure.add(inode);
  }

  /** A session that has come back had it open to be written, so many times; what it wrote before is not known here. */
  void reclaimed(long session, long inode, int count) {
    Integer known = sessions.getOrDefault(session, Map.of()).get(inode);
    for (int i = known == null ? 0 : known; i < count; i++) {
      opened(session, inode);
    }
    if (count > 0) {
      unsure.add(inode);
    }
  }

  private void left(long inode, File file, int count) {
    file.writers -= count;
    if (file.writers == 0) {
      files.remove(inode);
    }
  }

  void ended(long session) {
    Map<Long, Integer> of = sessions.remove(session);
    if (of != null) {
      of.forEach((inode, count) -> {
        unsure.add(inode);
        left(inode, files.get(inode), count);
      });
    }
  }

  /** The file is gone. */
  void removed(long inode) {
    unsure.remove(inode);
  }

  boolean mayWrite(long inode) {
    return files.containsKey(inode) || unsure.contains(inode);
  }
}
