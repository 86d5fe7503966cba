package dev.weft.launcher.cluster;

import dev.weft.launcher.CommandFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where running Weft processes of this user are recorded: {@code WEFT_STATE_DIR}, or {@code weft-<user>} below the directory for
 * temporary files. Readable by the user only.
 */
record StateDirectory(Path path) {
  static StateDirectory open() throws IOException {
    String chosen = System.getenv("WEFT_STATE_DIR");
    Path path = chosen != null && !chosen.isBlank() ? Path.of(chosen)
        : Path.of(System.getProperty("java.io.tmpdir"), "weft-" + System.getProperty("user.name"));
    return open(path);
  }

  /** Refuses a directory that others could have prepared: its records name the processes that {@code weft down} ends. */
  static StateDirectory open(Path path) throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (FileAlreadyExistsException e) {
      check(path);
    }
    return new StateDirectory(path);
  }

  private static void check(Path path) throws IOException {
    PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String user = System.getProperty("user.name");
    if (!found.isDirectory()) {
      throw new CommandFailure(path + " is not a directory; remove it, or set WEFT_STATE_DIR to a directory of your own");
    }
    if (!found.owner().getName().equals(user)) {
      throw new CommandFailure(path + " belongs to " + found.owner().getName() + ", not to " + user
          + "; set WEFT_STATE_DIR to a directory of your own");
    }
    if (found.permissions().contains(PosixFilePermission.GROUP_WRITE) || found.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
      throw new CommandFailure(path + " can be written by others; 'chmod 700 " + path + "' if they have put nothing there");
    }
  }

  /** All recorded processes, {@code up} first; files of processes that are gone are included. */
  List<RunState> all() throws IOException {
    List<RunState> states = new ArrayList<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.filter(f -> f.getFileName().toString().endsWith(".properties")).sorted().toList()) {
        try {
          states.add(RunState.read(file));
        } catch (NoSuchFileException gone) {
          continue; // Its process has ended since we looked.
        }
      }
    }
    states.sort(Comparator.comparing(RunState::kind).thenComparing(RunState::pid));
    return states;
  }

  /** The recorded processes that still run. */
  List<RunState> running() throws IOException {
    return all().stream().filter(state -> state.process().isPresent()).toList();
  }

  void remove(RunState state) throws IOException {
    Files.deleteIfExists(path.resolve(state.fileName()));
  }

  /**
   * Claims {@code name} for this process until the lock is closed or the process ends, however it ends. The file stays: removing it could
   * leave two processes with locks on two files of one name.
   *
   * @throws CommandFailure if another process, or this one, has claimed it
   */
  Lock lock(String name) throws IOException {
    Path file = path.resolve(name + ".lock");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        channel.truncate(0).write(StandardCharsets.US_ASCII.encode(Long.toString(ProcessHandle.current().pid())));
        return new Lock(channel);
      }
    } catch (OverlappingFileLockException mine) {
      // Answered below.
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    String pid = Files.readString(file).trim();
    throw new CommandFailure("another 'weft up'" + (pid.isEmpty() ? "" : " (pid " + pid + ")") + " is starting or ending with the state directory "
        + path + "; wait for it, or set WEFT_STATE_DIR to run another beside it");
  }

  /** A claim of {@link #lock}. */
  record Lock(FileChannel channel) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  Path logFile(String name) {
    return path.resolve(name + ".log");
  }
}
