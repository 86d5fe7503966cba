package dev.weft.pvfs.mount;

import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.FileTimes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Open files of a mount, by handle, and the common state of those that are open for writing. Any thread. */
final class OpenFiles {
  private static final int CLOSERS = 64;

  /** An open file. */
  static final class OpenFile {
    final long inode;
    final Striping striping;
    final boolean isAppended;
    final LossWatch losses;
    /** Null unless it is open for writing. */
    private Writing writing;

    OpenFile(long inode, Striping striping, boolean isAppended, LossWatch losses) {
      this.inode = inode;
      this.striping = striping;
      this.isAppended = isAppended;
      this.losses = losses;
    }

    /** Null unless it is open for writing. */
    Writing writing() {
      return writing;
    }
  }

  /** A file that is open for writing, once or more. Its monitor orders its closes. */
  static final class Writing {
    /** Changed with its monitor held. */
    final Mapping mapping = new Mapping();
    private int count;
    private boolean isWritten;
    /** A program has set the time of its last change since it was written. */
    private boolean hasSetTime;
    private long wroteNs;

    /** Records a write, at a time since 1970. */
    synchronized void write(long nowNs) {
      isWritten = true;
      hasSetTime = false;
      wroteNs = FileTimes.next(wroteNs, nowNs);
    }

    synchronized void setTime() {
      hasSetTime = true;
    }

    synchronized boolean isWritten() {
      return isWritten;
    }

    synchronized boolean hasSetTime() {
      return hasSetTime;
    }

    /** Returns when it was last written here. */
    synchronized long lastWroteNs() {
      return wroteNs;
    }

    /** Returns when it was last written here; 0 if a program has set another time since. */
    synchronized long wroteNs() {
      return hasSetTime ? 0 : wroteNs;
    }
  }

  /** The mapping of a file that is open for writing. */
  static final class Mapping {
    /** The file is reserved: no other client may write it. */
    boolean isBound;
    /** Another client may write it, which was logged. */
    boolean isRefused;
  }

  private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
  private final Map<Long, Writing> writing = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);
  /** By inode. */
  private final Object[] closers = Stream.generate(Object::new).limit(CLOSERS).toArray();

  /** Returns the lock for closes of a file: they report its length one after the other. */
  Object closer(long inode) {
    return closers[(int) (inode & CLOSERS - 1)];
  }

  long add(OpenFile file, boolean mayWrite) {
    if (mayWrite) {
      file.writing = writing.compute(file.inode, (_, before) -> {
        Writing of = before == null ? new Writing() : before;
        of.count++;
        return of;
      });
    }
    long handle = next.getAndIncrement();
    files.put(handle, file);
    return handle;
  }

  /** Returns null if there is none. */
  OpenFile get(long handle) {
    return files.get(handle);
  }

  /** Returns null if there was none. */
  OpenFile remove(long handle) {
    return files.remove(handle);
  }

  /** Whether the file is not open for writing through another handle. */
  boolean isLast(OpenFile file) {
    boolean[] isLast = {true};
    writing.computeIfPresent(file.inode, (_, of) -> {
      isLast[0] = of.count == 1;
      return of;
    });
    return isLast[0];
  }

  /** Ends one open for writing. If it was the last, runs {@code ifLast} before the file can be opened for writing again. */
  void left(OpenFile file, Runnable ifLast) {
    writing.computeIfPresent(file.inode, (_, of) -> {
      if (--of.count > 0) {
        return of;
      }
      ifLast.run();
      return null;
    });
  }

  /** Returns the state of a file that is open for writing; null if it is not. */
  Writing writing(long inode) {
    return writing.get(inode);
  }

  /** Whether it is mapped here for writing, so that no other client writes it. */
  boolean isBound(long inode) {
    Writing of = writing.get(inode);
    if (of == null) {
      return false;
    }
    synchronized (of.mapping) {
      return of.mapping.isBound;
    }
  }

  /** Returns the inodes of all open files. */
  Set<Long> inodes() {
    return files.values().stream().map(file -> file.inode).collect(Collectors.toSet());
  }

  int count() {
    return files.size();
  }
}
