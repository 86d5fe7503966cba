package dev.weft.tripwire.file;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which file a handle names. Bounded: the handle that was used longest ago makes room, and is stale then. The exported directory itself stays.
 * One thread.
 */
final class HandleTable {
  /** A file: names on the way to it from the exported directory, and what identifies it in its file system. */
  record Entry(int slot, List<String> path, Object key) {}

  private final long server;
  private final int[] generations;
  private final Entry[] entries;
  /** Oldest use first. */
  private final Map<List<String>, Entry> byPath = new LinkedHashMap<>(16, 0.75f, true);
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private int used;

  HandleTable(long server, int handlesMax) {
    this.server = server;
    generations = new int[handlesMax];
    entries = new Entry[handlesMax];
    entries[0] = new Entry(0, List.of(), null);
    used = 1;
  }

  FileHandle root() {
    return new FileHandle(server, 0, 0);
  }

  /** The file that a handle names, or null if it is stale. */
  Entry find(FileHandle handle) {
    int slot = handle.slot();
    if (handle.server() != server || slot < 0 || slot >= entries.length || entries[slot] == null
        || generations[slot] != handle.generation()) {
      return null;
    }
    byPath.get(entries[slot].path()); // It was used.
    return entries[slot];
  }

  /** A handle of the file that has this path, and this key, now. */
  FileHandle handle(List<String> path, Object key) {
    if (path.isEmpty()) {
      return root();
    }
    Entry entry = byPath.get(path);
    if (entry != null && !entry.key().equals(key)) {
      forget(entry);
      entry = null;
    }
    if (entry == null) {
      entry = new Entry(freeSlot(), path, key);
      entries[entry.slot()] = entry;
      byPath.put(path, entry);
    }
    return new FileHandle(server, entry.slot(), generations[entry.slot()]);
  }

  private int freeSlot() {
    if (free.isEmpty() && used < entries.length) {
      return used++;
    }
    if (free.isEmpty()) {
      forget(byPath.values().iterator().next());
    }
    return free.remove();
  }

  /** Its handles are stale. */
  void forget(Entry entry) {
    byPath.remove(entry.path());
    entries[entry.slot()] = null;
    generations[entry.slot()]++;
    free.add(entry.slot());
  }

  /** The file of that path is gone. */
  void forget(List<String> path) {
    Entry entry = byPath.get(path);
    if (entry != null) {
      forget(entry);
    }
  }

  int size() {
    return byPath.size();
  }
}
