package dev.weft.pvfs.service;

import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The target on this host of a copy out of the file system. A regular file is written under a temporary name beside it, and renamed when it is
 * complete. A pipe, a terminal or another device is written directly. Nothing is opened before the first byte. One thread writes; another one may
 * abandon it.
 */
final class LocalTarget implements WritableByteChannel {
  private static final Logger LOG = LoggerFactory.getLogger(LocalTarget.class);
  private static final String TEMPORARY = ".weft-cp-";
  private static final int TEMPORARY_NAMES = 1000;

  private final LocalFile file;
  private final FileChannel standard;
  private FileChannel channel;
  /** Null if the target itself is written. */
  private volatile Path temporary;
  private Path target;
  /** Attributes of the existing target; null if there is none. */
  private Map<String, Object> old;
  private volatile boolean isAbandoned;

  /** Determines the kind of the target. */
  LocalTarget(LocalFile file) throws IOException {
    this.file = file;
    standard = file.standardOutput();
    if (standard == null) {
      check();
    }
  }

  private void check() throws IOException {
    Path path = file.path();
    if (Files.isDirectory(path)) {
      throw new CommandFailure(file.name() + " is a directory; name a file in it");
    }
    boolean isDescriptor = file.descriptor() != LocalFile.NONE;
    if (Files.isRegularFile(path)) {
      if (isDescriptor) {
        throw new CommandFailure(file.name() + " is an open file, whose position cannot be kept; name the file itself, or use /dev/stdout");
      }
      if (!Files.isWritable(path)) {
        file.explained(() -> {
          throw new AccessDeniedException(file.name());
        });
      }
      target = file.explained(path::toRealPath);
      old = file.explained(() -> Files.readAttributes(target, "unix:mode,uid,gid"));
    } else if (!isDescriptor && !Files.exists(path)) {
      if (Files.isSymbolicLink(path)) {
        throw new CommandFailure(file.name() + " is a symbolic link to a missing file; remove it, or name its target");
      }
      target = path.toAbsolutePath();
    }
  }

  @Override
  public int write(ByteBuffer bytes) throws IOException {
    return opened().write(bytes);
  }

  private FileChannel opened() throws IOException {
    if (isAbandoned) {
      throw new IOException("the copy to " + file.name() + " was given up");
    }
    if (channel == null) {
      channel = standard != null ? standard : target == null ? file.explained(() -> FileChannel.open(file.path(), StandardOpenOption.WRITE)) : create();
    }
    return channel;
  }

  private FileChannel create() throws IOException {
    FileAttribute<?> permissions = PosixFilePermissions.asFileAttribute(Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    return file.explained(() -> {
      for (int i = 0;; i++) {
        Path name = target.resolveSibling(TEMPORARY + ProcessHandle.current().pid() + "-" + i);
        try {
          FileChannel made = FileChannel.open(name, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), permissions);
          temporary = name;
          if (isAbandoned) {
            abandon();
          }
          return made;
        } catch (FileAlreadyExistsException left) {
          if (i == TEMPORARY_NAMES) {
            throw left;
          }
        }
      }
    });
  }

  /**
   * All bytes are written: puts the file into place.
   *
   * @param sourceMode permissions of the source, for a target that did not exist
   */
  void finish(int sourceMode) throws IOException {
    FileChannel written = opened();
    if (standard == null) {
      written.close();
    }
    if (temporary != null) {
      file.explained(() -> {
        setAttributes(sourceMode);
        return Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      });
      temporary = null; // Nothing is left to abandon.
    }
  }

  private void setAttributes(int sourceMode) throws IOException {
    if (old == null) {
      set("mode", LocalFile.masked(sourceMode)); // A file system without permissions, such as FAT, refuses.
      return;
    }
    Map<String, Object> made = Files.readAttributes(temporary, "unix:uid,gid");
    boolean isOwnerKept = Stream.of("gid", "uid").allMatch(name -> old.get(name).equals(made.get(name)) || set(name, old.get(name)));
    int mode = (Integer) old.get("mode");
    Files.setAttribute(temporary, "unix:mode", isOwnerKept ? mode : mode & 0777); // Without the old owner, set-id bits are dropped.
  }

  /** Sets an attribute; returns false if the user must not. */
  private boolean set(String name, Object value) {
    try {
      Files.setAttribute(temporary, "unix:" + name, value);
      return true;
    } catch (IOException notAllowed) {
      return false;
    }
  }

  /** Leaves the target unchanged, unless it is finished. */
  void abandon() {
    isAbandoned = true;
    Path unfinished = temporary;
    if (unfinished != null && !unfinished.toFile().delete()) {
      LOG.debug("{} was moved to its place already", unfinished);
    }
  }

  @Override
  public boolean isOpen() {
    return !isAbandoned;
  }

  @Override
  public void close() throws IOException {
    abandon();
    if (channel != null && standard == null) {
      channel.close();
    }
  }
}
