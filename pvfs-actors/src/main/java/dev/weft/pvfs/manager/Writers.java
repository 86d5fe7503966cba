package dev.weft.pvfs.manager;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Files whose length only the daemons know: those that may be written now, and those without a certain length, because several sessions had them open
 * at a time or one ended without a report. Bound: the number of files. One thread.
 */
final class Writers {
  private static final int LENGTHS_PAGE = 1024;

  private static final class File {
    int writers;
    /** Several sessions had it open for writing at a time: each may have seen a length that another one has changed since. */
    boolean hasOverlapped;
    /** One session had it open several times: it may or may not know all that these did. */
    boolean hasOverlappedInside;
  }

  private final Map<Long, Map<Long, Integer>> sessions = new HashMap<>();
  private final Map<Long, File> files = new HashMap<>();
  private final Set<Long> unsure = new HashSet<>();

  /** Reads which files have no certain length. */
  void load(NameSpace names) {
    List<Long> page;
    long from = 0;
    do {
      page = names.openLengths(from, LENGTHS_PAGE);
      for (long inode : page) {
        unsure(inode);
        from = inode + 1;
      }
    } while (page.size() == LENGTHS_PAGE);
  }

  /** Returns whether only this session has it open for writing, and its length was certain before. */
  boolean opened(long session, long inode) {
    int before = sessions.computeIfAbsent(session, _ -> new HashMap<>()).merge(inode, 1, Integer::sum) - 1;
    File file = files.computeIfAbsent(inode, _ -> new File());
    file.hasOverlapped |= file.writers > before;
    file.hasOverlappedInside |= before > 0;
    file.writers++;
    return file.writers == 1 && !unsure.contains(inode);
  }

  /**
   * A session has closed a file that it had open for writing.
   *
   * @param hasLength whether it reported a length
   * @param isUnchanged whether it has written nothing, or reports the length at its last close
   * @param knowsItself whether the report covers all that its session has done to the file
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

  /** A session has cut or extended a file by its name: lengths that other writers report later may be older. */
  void cut(long session, long inode) {
    File file = files.get(inode);
    if (isWrittenByOthers(session, file, inode)) {
      file.hasOverlapped = true;
    }
  }

  /** The file has no certain length. */
  void unsure(long inode) {
    unsure.add(inode);
  }

  /** A returning session had it open for writing so many times; its earlier writes are unknown here. */
  void reclaimed(long session, long inode, int count) {
    Integer known = sessions.getOrDefault(session, Map.of()).get(inode);
    for (int i = known == null ? 0 : known; i < count; i++) {
      opened(session, inode);
    }
    if (count > 0) {
      unsure.add(inode);
      files.get(inode).hasOverlapped = true; // A close from before the restart may be repeated, with an old length.
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
