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
    /** Several sessions had it open to be written at a time: each may have seen a length that another one has changed since. */
    boolean hasOverlapped;
    /** One session had it open so several times: it may know what all of these did, or not. */
    boolean hasOverlappedInside;
  }

  private final Map<Long, Map<Long, Integer>> sessions = new HashMap<>();
  private final Map<Long, File> files = new HashMap<>();
  private final Set<Long> unsure = new HashSet<>();

  /** Whether only this session has it open to be written, and its length was sure before. */
  boolean opened(long session, long inode) {
    int before = sessions.computeIfAbsent(session, _ -> new HashMap<>()).merge(inode, 1, Integer::sum) - 1;
    File file = files.computeIfAbsent(inode, _ -> new File());
    file.hasOverlapped |= file.writers > before;
    file.hasOverlappedInside |= before > 0;
    file.writers++;
    return file.writers == 1 && !unsure.contains(inode);
  }

  /**
   * One of those that had it open to be written has closed it.
   *
   * @param hasLength whether it said a length
   * @param isUnchanged whether it has written nothing, or says its length when it closes the file for the last time
   * @param knowsItself whether what it says counts for all that its session has done to the file
   */
  void closed(long session, long inode, boolean hasLength, boolean isUnchanged, boolean knowsItself) {
    Map<Long, Integer> of = sessions.get(session);
    if (of == null || !of.containsKey(inode)) {
      return;
    }
    of.computeIfPresent(inode, (_, count) -> count == 1 ? null : count - 1);
    if (of.isEmpty()) {
      sessions.remove(session);
    }
    File file = files.get(inode);
    if (file.hasOverlapped || file.hasOverlappedInside && !knowsItself || !hasLength && !isUnchanged) {
      unsure.add(inode);
    } else if (hasLength) {
      unsure.remove(inode);
    }
    left(inode, file, 1);
  }

  private boolean isWrittenByOthers(long session, File file, long inode) {
    return file != null && file.writers > sessions.getOrDefault(session, Map.of()).getOrDefault(inode, 0);
  }

  /** A session has cut a file, or made it longer, by its name: what others who may be writing it say of its length later may be of before. */
  void cut(long session, long inode) {
    File file = files.get(inode);
    if (isWrittenByOthers(session, file, inode)) {
      file.hasOverlapped = true;
    }
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
      files.get(inode).hasOverlapped = true; // A close that the manager before has done may be repeated, with a length of then.
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
