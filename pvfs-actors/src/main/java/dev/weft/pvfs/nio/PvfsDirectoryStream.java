package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PathNames;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;

/** Entries of a directory, read from the manager page by page. It may or may not show entries that are added or removed meanwhile. */
final class PvfsDirectoryStream implements DirectoryStream<Path> {
  private final PvfsPath directory;
  private final Filter<? super Path> filter;
  private final Closeable registered;
  private final long inode;
  private final Deque<DirectoryPage.Entry> page = new ArrayDeque<>();
  private long cookie;
  private boolean isAtEnd;
  private boolean hasIterator;
  private volatile boolean closed;

  /** @param registered is closed with the stream */
  PvfsDirectoryStream(PvfsPath directory, Filter<? super Path> filter, Closeable registered) throws IOException {
    this.directory = directory;
    this.filter = filter;
    this.registered = registered;
    this.inode = Failures.translated(directory, null, () -> {
      FileAttributes found = attributes(directory);
      if (!found.isDirectory()) {
        throw Failures.notDirectory(directory);
      }
      return found.inode();
    });
    fill(); // Reports missing read permission here.
  }

  private static FileAttributes attributes(PvfsPath directory) throws IOException {
    try {
      return directory.getFileSystem().files().attributes(directory.text());
    } catch (PvfsException failed) {
      throw failed.errno() == Errno.ENOTDIR ? Failures.notDirectory(directory) : failed;
    }
  }

  private void fill() throws IOException {
    while (page.isEmpty() && !isAtEnd) {
      var entries = Failures.translated(directory, null, () -> directory.getFileSystem().files().page(inode, cookie));
      isAtEnd = entries.isEmpty();
      for (DirectoryPage.Entry entry : entries) {
        cookie = entry.cookie();
        String name = PathNames.decode(entry.name());
        if (!name.equals(".") && !name.equals("..")) {
          page.add(entry);
        }
      }
    }
  }

  @Override
  public synchronized Iterator<Path> iterator() {
    if (closed || hasIterator) {
      throw new IllegalStateException("a directory stream " + (closed ? "that is closed" : "whose iterator was taken already"));
    }
    hasIterator = true;
    return new Iterator<>() {
      private Path next;

      @Override
      public boolean hasNext() {
        next = next == null ? accepted() : next;
        return next != null;
      }

      @Override
      public Path next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        Path now = next;
        next = null;
        return now;
      }
    };
  }

  /** Returns the next accepted path, null at the end. */
  private Path accepted() {
    try {
      while (!closed) {
        fill();
        if (page.isEmpty()) {
          return null;
        }
        Path path = directory.resolve(PathNames.decode(page.poll().name()));
        if (filter.accept(path)) {
          return path;
        }
      }
      return null;
    } catch (PvfsException failed) {
      throw new DirectoryIteratorException(Failures.of(failed, directory, null));
    } catch (IOException failed) {
      throw new DirectoryIteratorException(failed);
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    registered.close();
  }
}
