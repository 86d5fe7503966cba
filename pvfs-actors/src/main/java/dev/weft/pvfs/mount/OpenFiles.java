package dev.weft.pvfs.mount;

import dev.weft.pvfs.layout.Striping;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Files that are open through a mount, by handle; and how often each is open to be written. */
final class OpenFiles {
  /** An open file. */
  static final class OpenFile {
    final long inode;
    final Striping striping;
    final boolean mayWrite;
    volatile boolean written;
    /** Somebody has set the time of its last change since it was written. */
    volatile boolean hasSetTime;

    OpenFile(long inode, Striping striping, boolean mayWrite) {
      this.inode = inode;
      this.striping = striping;
      this.mayWrite = mayWrite;
    }

    void write() {
      written = true;
      hasSetTime = false;
    }
  }

  private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
  private final Map<Long, Integer> writers = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);

  long add(OpenFile file) {
    long handle = next.getAndIncrement();
    files.put(handle, file);
    if (file.mayWrite) {
      writers.merge(file.inode, 1, Integer::sum);
    }
    return handle;
  }

  /** Null if there is none. */
  OpenFile get(long handle) {
    return files.get(handle);
  }

  /** Null if there was none. */
  OpenFile remove(long handle) {
    OpenFile file = files.remove(handle);
    if (file != null && file.mayWrite) {
      writers.computeIfPresent(file.inode, (_, count) -> count == 1 ? null : count - 1);
    }
    return file;
  }

  /** The time of its last change was set, whichever way. */
  void timeSet(long inode) {
    files.values().stream().filter(file -> file.inode == inode).forEach(file -> file.hasSetTime = true);
  }

  boolean isWritten(long inode) {
    return writers.containsKey(inode);
  }

  int count() {
    return files.size();
  }
}
