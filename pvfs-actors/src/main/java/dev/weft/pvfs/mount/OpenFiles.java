package dev.weft.pvfs.mount;

import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.FileTimes;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Files that are open through a mount, by handle; and what those have in common that are open to be written. Any thread. */
final class OpenFiles {
  /** An open file. */
  static final class OpenFile {
    final long inode;
    final Striping striping;
    final boolean isAppended;
    final LossWatch losses;
    /** Null if it is not open to be written. */
    private Writing writing;

    OpenFile(long inode, Striping striping, boolean isAppended, LossWatch losses) {
      this.inode = inode;
      this.striping = striping;
      this.isAppended = isAppended;
      this.losses = losses;
    }

    /** Null if it is not open to be written. */
    Writing writing() {
      return writing;
    }
  }

  /** A file that is open to be written, however often. Closing one after the other is a matter of its monitor. */
  static final class Writing {
    /** Changed with its monitor held. */
    final Mapping mapping = new Mapping();
    private int count;
    private boolean isWritten;
    /** Somebody has set the time of its last change since it was written. */
    private boolean hasSetTime;
    private long wroteNs;

    /** It is written, at a time since 1970. */
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

    /** When it was last written here. */
    synchronized long lastWroteNs() {
      return wroteNs;
    }

    /** When it was last written here, if nobody has set another time since; 0 otherwise. */
    synchronized long wroteNs() {
      return hasSetTime ? 0 : wroteNs;
    }
  }

  /** A file that is open to be written, and mapped. */
  static final class Mapping {
    /** Nobody else may write it. */
    boolean isBound;
    /** Somebody else may write it, which was logged. */
    boolean isRefused;
  }

  private final Map<Long, OpenFile> files = new ConcurrentHashMap<>();
  private final Map<Long, Writing> writing = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong(1);

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

  /** Null if there is none. */
  OpenFile get(long handle) {
    return files.get(handle);
  }

  /** Null if there was none. */
  OpenFile remove(long handle) {
    return files.remove(handle);
  }

  /** Whether no other one of the same file is open to be written. */
  boolean isLast(OpenFile file) {
    boolean[] isLast = {true};
    writing.computeIfPresent(file.inode, (_, of) -> {
      isLast[0] = of.count == 1;
      return of;
    });
    return isLast[0];
  }

  /** One that was open to be written is not any more; {@code ifLast} is done before the file can be opened to be written again. */
  void left(OpenFile file, Runnable ifLast) {
    writing.computeIfPresent(file.inode, (_, of) -> {
      if (--of.count > 0) {
        return of;
      }
      ifLast.run();
      return null;
    });
  }

  /** What writes it; null if nothing does. */
  Writing writing(long inode) {
    return writing.get(inode);
  }

  /** Whether it is mapped here to be written, so that nobody else does. */
  boolean isBound(long inode) {
    Writing of = writing.get(inode);
    if (of == null) {
      return false;
    }
    synchronized (of.mapping) {
      return of.mapping.isBound;
    }
  }

  /** Of all files that are open. */
  Set<Long> inodes() {
    return files.values().stream().map(file -> file.inode).collect(Collectors.toSet());
  }

  int count() {
    return files.size();
  }
}
