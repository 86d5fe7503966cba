package dev.weft.pvfs.nio;

import dev.weft.pvfs.files.PathNames;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A watched directory: its state at the last look, and the changes since. */
final class PvfsWatchKey implements WatchKey {
  /** Maximum number of pending events; one OVERFLOW event stands for further ones. */
  static final int EVENTS_MAX = 512;

  /** The state of a file; a different state means a change. */
  private record Mark(long inode, long bytes, long mtimeNs, long ctimeNs) {}

  private record Event(WatchEvent.Kind<Path> kind, Path context, int count) implements WatchEvent<Path> {}

  private record Overflow(int count) implements WatchEvent<Object> {
    @Override
    public Kind<Object> kind() {
      return StandardWatchEventKinds.OVERFLOW;
    }

    @Override
    public Object context() {
      return null;
    }
  }

  private final PvfsWatchService service;
  private final PvfsPath directory;
  private final long inode;
  private Set<WatchEvent.Kind<?>> kinds;
  private Map<String, Mark> seen;
  private final List<WatchEvent<?>> events = new ArrayList<>();
  private boolean isSignalled;
  private volatile boolean isValid = true; // Written with the lock held.

  PvfsWatchKey(PvfsWatchService service, PvfsPath directory, long inode, Set<WatchEvent.Kind<?>> kinds, List<DirectoryPage.Entry> entries) {
    this.service = service;
    this.directory = directory;
    this.inode = inode;
    this.kinds = kinds;
    this.seen = marks(entries);
  }

  private static Map<String, Mark> marks(List<DirectoryPage.Entry> entries) {
    Map<String, Mark> marks = new HashMap<>();
    for (DirectoryPage.Entry entry : entries) {
      FileAttributes known = entry.attributes();
      marks.put(PathNames.decode(entry.name()), new Mark(known.inode(), known.bytes(), known.mtimeNs(), known.ctimeNs()));
    }
    return marks;
  }

  long inode() {
    return inode;
  }

  /** Sets the kinds of events; returns false if the key was cancelled. */
  synchronized boolean watch(Set<WatchEvent.Kind<?>> others) {
    kinds = isValid ? others : kinds;
    return isValid;
  }

  /** Compares the entries of a new look with those of the last one and records the events. */
  synchronized void look(List<DirectoryPage.Entry> entries) {
    Map<String, Mark> now = marks(entries);
    for (Map.Entry<String, Mark> each : now.entrySet()) {
      Mark before = seen.get(each.getKey());
      if (before == null || before.inode() != each.getValue().inode()) {
        tell(StandardWatchEventKinds.ENTRY_CREATE, each.getKey());
      } else if (!before.equals(each.getValue())) {
        tell(StandardWatchEventKinds.ENTRY_MODIFY, each.getKey());
      }
    }
    seen.keySet().stream().filter(name -> !now.containsKey(name)).forEach(name -> tell(StandardWatchEventKinds.ENTRY_DELETE, name));
    seen = now;
    signal();
  }

  /** Records that the directory has too many entries: only a possible change can be reported. */
  synchronized void overflow() {
    events.removeIf(Overflow.class::isInstance);
    events.add(new Overflow(1));
    signal();
  }

  private void tell(WatchEvent.Kind<Path> kind, String name) {
    if (!kinds.contains(kind)) {
      return;
    }
    Path context = directory.getFileSystem().getPath(name);
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i) instanceof Event same && same.kind() == kind && same.context().equals(context)) {
        events.set(i, new Event(kind, context, same.count() + 1));
        return;
      }
    }
    if (events.size() < EVENTS_MAX) {
      events.add(new Event(kind, context, 1));
    } else if (events.getLast() instanceof Overflow more) {
      events.set(events.size() - 1, new Overflow(more.count() + 1));
    } else {
      events.set(events.size() - 1, new Overflow(2));
    }
  }

  private void signal() {
    if (!events.isEmpty() && !isSignalled) {
      isSignalled = true;
      service.ready(this);
    }
  }

  @Override
  public boolean isValid() {
    return isValid;
  }

  @Override
  public synchronized List<WatchEvent<?>> pollEvents() {
    List<WatchEvent<?>> taken = List.copyOf(events);
    events.clear();
    return taken;
  }

  @Override
  public synchronized boolean reset() {
    if (!isValid) {
      return false;
    }
    isSignalled = false;
    signal();
    return true;
  }

  @Override
  public void cancel() {
    synchronized (this) {
      isValid = false;
    }
    service.forget(this);
  }

  /** Cancels the key of a removed directory, and wakes threads that wait for it. */
  synchronized void gone() {
    cancel();
    if (!isSignalled) {
      isSignalled = true;
      service.ready(this);
    }
  }

  @Override
  public PvfsPath watchable() {
    return directory;
  }
}
