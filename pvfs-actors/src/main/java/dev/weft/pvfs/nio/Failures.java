package dev.weft.pvfs.nio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.files.PvfsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Converts errors of the native interface into exceptions of {@code java.nio.file}. */
final class Failures {
  /** An operation of the native interface. */
  interface Action<T> {
    T run() throws IOException;
  }

  private Failures() {}

  /** Runs an action and converts its errors; {@code file} and {@code other} (or null) are the files that it is about. */
  static <T> T translated(PvfsPath file, PvfsPath other, Action<T> action) throws IOException {
    file.getFileSystem().requireOpen();
    try {
      return action.run();
    } catch (PvfsException failed) {
      throw of(failed, file, other);
    } catch (IllegalStateException ended) {
      throw ended(ended);
    }
  }

  /** Converts the exception of a closed client or an interrupted wait. */
  static IOException ended(IllegalStateException ended) {
    IOException said = ended instanceof InterruptedCallException ? new InterruptedIOException(ended.getMessage()) : new IOException(ended.getMessage());
    said.initCause(ended);
    return said;
  }

  static FileSystemException of(PvfsException failed, PvfsPath file, PvfsPath other) {
    String name = file.toString();
    String second = other == null ? null : other.toString();
    FileSystemException said = switch (failed.errno()) {
      case Errno.ENOENT -> new NoSuchFileException(name, second, null);
      case Errno.EEXIST -> new FileAlreadyExistsException(name, second, null);
      case Errno.EACCES -> new AccessDeniedException(name, second, Errno.text(Errno.EACCES));
      case Errno.ENOTEMPTY -> new DirectoryNotEmptyException(second == null ? name : second);
      case Errno.ELOOP -> new FileSystemLoopException(name);
      default -> new FileSystemException(name, second, failed.reason());
    };
    said.initCause(failed);
    return said;
  }

  /** Converts an error of a lookup: like the JDK, a path below something that is no directory does not exist. */
  static FileSystemException ofLook(PvfsException failed, PvfsPath file) {
    if (failed.errno() != Errno.ENOTDIR) {
      return of(failed, file, null);
    }
    NoSuchFileException none = new NoSuchFileException(file.toString());
    none.initCause(failed);
    return none;
  }

  /** The error for listing something that is no directory. */
  static NotDirectoryException notDirectory(PvfsPath file) {
    return new NotDirectoryException(file.toString());
  }

  static FileSystemException because(PvfsPath file, String reason) {
    return new FileSystemException(file.toString(), null, reason);
  }
}
