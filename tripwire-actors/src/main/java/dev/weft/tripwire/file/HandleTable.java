package dev.weft.tripwire.file;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Maps handles to files. Bounded: the least recently used handle makes room, and is stale then. The exported directory itself stays. One thread. */
final class HandleTable {
  /** A file: its path from the exported directory, and its identity in its file system. */
  record Entry(int slot, List<String> path, Object key) {}

  private final long server;
  private final int[] generations;
  private final Entry[] entries;
  /** Least recently used first. */
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
    byPath.get(entries[slot].path()); // Marks it as used.
    return entries[slot];
  }

  /** A handle for the file that now has this path and this key. */
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

  /** Forgets a file; its handles become stale. */
  void forget(Entry entry) {
    byPath.remove(entry.path());
    entries[entry.slot()] = null;
    generations[entry.slot()]++;
    free.add(entry.slot());
  }

  /** Forgets the file with that path, which is gone. */
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
