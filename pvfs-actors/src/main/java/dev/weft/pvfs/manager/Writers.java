package dev.weft.pvfs.manager;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which files somebody may be writing, so that only the daemons know how long they are. */
final class Writers {
  private final Map<Long, Map<Long, Integer>> sessions = new HashMap<>();
  private final Map<Long, Integer> files = new HashMap<>();
  /** Written by somebody who went without a word. */
  private final Set<Long> left = new HashSet<>();

  void opened(long session, long inode) {
    sessions.computeIfAbsent(session, _ -> new HashMap<>()).merge(inode, 1, Integer::sum);
    files.merge(inode, 1, Integer::sum);
  }

  void closed(long session, long inode) {
    Map<Long, Integer> of = sessions.get(session);
    if (of != null && of.containsKey(inode)) {
      of.computeIfPresent(inode, (_, count) -> count == 1 ? null : count - 1);
      if (of.isEmpty()) {
        sessions.remove(session);
      }
      files.computeIfPresent(inode, (_, count) -> count == 1 ? null : count - 1);
    }
  }

  void ended(long session) {
    Map<Long, Integer> of = sessions.remove(session);
    if (of != null) {
      of.forEach((inode, count) -> {
        files.computeIfPresent(inode, (_, all) -> all <= count ? null : all - count);
        left.add(inode);
      });
    }
  }

  boolean mayWrite(long inode) {
    return files.containsKey(inode) || left.contains(inode);
  }
}
