package dev.weft.service.process;

import com.typesafe.config.Config;
import dev.weft.fabric.cluster.FabricDirectory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.fabric.files.PrivateDirectory;
import dev.weft.fabric.files.PrivateFile;
import dev.weft.fabric.memory.FileSpace;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory with the records of this user's running Weft processes: {@code WEFT_STATE_DIR}, or {@code weft-<user>} below the directory for
 * temporary files. Only the user can read it.
 */
public record StateDirectory(Path path) {
  private static final String PID = "[0-9]{1,9}";
  /** The name that the first JVM of a fabric claims by {@link #lock}, from before it starts anything until everything has ended. */
  public static final String FIRST_JVM = "up";

  private static final long RESTORE_PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long DYING_PATIENCE_NS = TimeUnit.SECONDS.toNanos(30);
  /** The space that one JVM needs here: its lock, its record, the record's replacement and the start of its log, each a block of 4 KiB. */
  private static final long JVM_BYTES = 16 << 10;
  private static final Pattern PROBE = Pattern.compile("room-(" + PID + ")-[0-9a-f]+");

  public static StateDirectory open() throws IOException {
    String chosen = System.getenv("WEFT_STATE_DIR");
    if (chosen != null && chosen.indexOf('\ufffd') >= 0) { // The JVM's replacement for bytes that it cannot decode.
      throw new CommandFailure("WEFT_STATE_DIR is not text in the encoding of the locale (" + System.getProperty("sun.jnu.encoding")
          + "); set it to another directory, or LC_ALL to C.UTF-8");
    }
    Path path = chosen != null && !chosen.isBlank() ? Path.of(chosen)
        : Path.of(System.getProperty("java.io.tmpdir"), "weft-" + System.getProperty("user.name"));
    return open(path);
  }

  /** Rejects a directory that another user could have prepared, because {@code weft down} ends the processes that its records name. */
  public static StateDirectory open(Path path) throws IOException {
    try {
      PrivateDirectory.createOrUse(path, "set WEFT_STATE_DIR to a directory of your own");
      return new StateDirectory(path);
    } catch (IOException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  /**
   * Checks that the directory has space for the files of {@code jvms} JVMs; leaves no file behind. Call it before starting anything: a JVM that cannot
   * write its log cannot report the cause.
   *
   * @throws CommandFailure if space is missing; the message says how much is free, how much is needed and what to do
   */
  public void requireRoom(int jvms) throws IOException {
    removeOfTheDead(PROBE);
    Path probe = path.resolve("room-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime()));
    try (FileChannel channel = PrivateFile.open(probe, StandardOpenOption.WRITE)) {
      FileSpace.reserve(probe, channel, jvms * JVM_BYTES);
    } catch (IOException e) {
      throw noRoom(path, e);
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  /** Removes files of ended processes: those whose whole name matches {@code name}, with the process id in the first group. */
  void removeOfTheDead(Pattern name) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path)) {
      for (Path file : files) {
        Matcher matcher = name.matcher(file.getFileName().toString());
        if (matcher.matches() && !ProcessWatch.isAlive(Long.parseLong(matcher.group(1)))) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Returns the failure for a state directory that cannot be written. */
  static CommandFailure noRoom(Path directory, IOException why) {
    return new CommandFailure("cannot write to the state directory " + directory.toAbsolutePath() + ": " + why.getMessage()
        + "; make room there, or set WEFT_STATE_DIR to a directory on another file system", why);
  }

  /** Returns all records, {@code up} first, including those of processes that have ended. */
  public List<RunState> all() throws IOException {
    List<RunState> states = new ArrayList<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.filter(f -> f.getFileName().toString().endsWith(".properties")).sorted().toList()) {
        try {
          states.add(RunState.read(file));
        } catch (NoSuchFileException gone) {
          continue; // The process has ended since the directory was listed.
        }
      }
    } catch (NoSuchFileException removed) {
      return List.of(); // Somebody removed the directory since it was opened.
    }
    states.sort(Comparator.comparing(RunState::kind).thenComparing(RunState::pid));
    return states;
  }

  /** Returns the records of processes that still run. */
  public List<RunState> running() throws IOException {
    return all().stream().filter(state -> state.process().isPresent()).toList();
  }

  /**
   * Returns the records of processes that still run.
   *
   * @param start the command that starts a fabric of the kind that the caller needs
   * @throws CommandFailure if there is none
   */
  public List<RunState> requireRunning(String start) throws IOException {
    List<RunState> running = running();
    if (running.isEmpty()) {
      throw new CommandFailure("no fabric is up (looked in " + path + "); start one with '" + start + "'");
    }
    return running;
  }

  /**
   * Returns the processes of a fabric whose records are missing because somebody has emptied the directory. It finds them by their locks on the
   * directory; the first JVM also by the directory of its media driver. A running process restores its record in about a second.
   *
   * @throws CommandFailure if the directory of media drivers cannot be used, for example because it is open to other users
   */
  public List<Long> unrecorded(MediaDriverSettings driver) throws IOException {
    Set<Long> found = new TreeSet<>(DirectoryLock.holders(path));
    found.addAll(firstJvms(driver));
    found.remove(ProcessHandle.current().pid());
    if (!found.isEmpty()) {
      all().forEach(state -> found.remove(state.pid()));
      claimant(FIRST_JVM).ifPresent(starting -> found.remove(starting.pid())); // A starting process writes its record when it is ready.
    }
    return List.copyOf(found);
  }

  private List<Long> firstJvms(MediaDriverSettings driver) {
    try {
      return FabricDirectory.firstJvms(driver, path);
    } catch (IOException unusable) {
      throw new CommandFailure(unusable.getMessage(), unusable);
    }
  }

  /**
   * Waits, for at most 5 s, until the processes of a fabric have restored the records that somebody has removed.
   *
   * @return the processes that have not restored their record in time, because they are stopped or dying
   */
  public List<Long> awaitRecords(Config config) throws IOException {
    MediaDriverSettings driver = MediaDriverSettings.of(config);
    long endNs = System.nanoTime() + RESTORE_PATIENCE_NS;
    List<Long> missing = unrecorded(driver);
    while (!missing.isEmpty() && System.nanoTime() < endNs) {
      pause();
      missing = unrecorded(driver);
    }
    return missing;
  }

  /** Returns the record of this directory's {@code weft up}. If somebody has removed the record, waits until the process has restored it. */
  public Optional<RunState> up(Config config) throws IOException {
    awaitRecords(config);
    return running().stream().filter(state -> state.kind() == RunState.Kind.UP).findFirst();
  }

  /**
   * Returns the recorded processes that have ended while the fabric's first JVM still runs. That JVM knows of their end, and its alarms report what is
   * lost. If the first JVM has ended too, the result is empty.
   */
  public static List<RunState> ended(List<RunState> recorded) {
    boolean isUp = recorded.stream().anyMatch(state -> state.kind() == RunState.Kind.UP && state.process().isPresent());
    return recorded.stream().filter(state -> isUp && state.process().isEmpty()).toList();
  }

  public void removeMember(long pid) throws IOException {
    Files.deleteIfExists(path.resolve(RunState.fileName(RunState.Kind.MEMBER, pid)));
  }

  public void remove(RunState state) throws IOException {
    Files.deleteIfExists(path.resolve(state.fileName()));
  }

  /**
   * Claims {@code name} for this process until the lock is closed or the process ends for any reason. The file stays, because removing it could
   * leave two processes with locks on two files of the same name.
   *
   * @throws CommandFailure if another process, or this one, has claimed it
   */
  public Lock lock(String name) throws IOException {
    Path file = path.resolve(name + ".lock");
    FileChannel channel = PrivateFile.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      if (tryLock(channel)) {
        Lock.sign(channel);
        return new Lock(file, channel);
      }
    } catch (OverlappingFileLockException mine) {
      // The exception below reports it.
    } catch (IOException e) {
      channel.close();
      throw noRoom(path, e);
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    }
    channel.close();
    String pid = Files.readString(file).trim();
    throw new CommandFailure("another 'weft up'" + (pid.isEmpty() ? "" : " (pid " + pid + ")") + " is starting or ending with the state directory "
        + path + "; wait for it, or set WEFT_STATE_DIR to run another beside it");
  }

  /** Returns the process that has claimed {@code name} by {@link #lock}; empty if none has, or if it has not yet written its process id. */
  public Optional<ProcessHandle> claimant(String name) throws IOException {
    Path file = path.resolve(name + ".lock");
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    try (FileChannel channel = PrivateFile.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE); FileLock free = channel.tryLock()) {
      if (free != null) {
        return Optional.empty();
      }
    } catch (OverlappingFileLockException mine) {
      return Optional.of(ProcessHandle.current());
    }
    String pid = Files.readString(file).trim();
    return pid.matches(PID) ? ProcessHandle.of(Long.parseLong(pid)) : Optional.empty();
  }

  /** Waits if the holder is a killed process: it holds its locks until the kernel has reclaimed its memory. */
  private static boolean tryLock(FileChannel channel) throws IOException {
    long endNs = System.nanoTime() + DYING_PATIENCE_NS;
    while (channel.tryLock() == null) {
      ByteBuffer text = ByteBuffer.allocate(16);
      channel.read(text, 0);
      String pid = StandardCharsets.US_ASCII.decode(text.flip()).toString().trim();
      if (!pid.matches(PID) || ProcessWatch.isAlive(Long.parseLong(pid)) || System.nanoTime() > endNs) {
        return false;
      }
      pause();
    }
    return true;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(20);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted", e);
    }
  }

  /**
   * Removes the records of killed processes after the kernel has removed the processes. Kills members whose fabric has no first JVM any more, because
   * nobody can use their memory. Leaves other running processes alone.
   */
  public void forgetTheDead() throws IOException {
    List<RunState> all = all();
    boolean isUp = all.stream().anyMatch(state -> state.kind() == RunState.Kind.UP && state.process().isPresent());
    long endNs = System.nanoTime() + DYING_PATIENCE_NS;
    for (RunState state : all) {
      if (state.kind() == RunState.Kind.MEMBER && !isUp) {
        state.process().ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    for (RunState state : all) {
      while (state.isDying() && System.nanoTime() < endNs) {
        pause();
      }
      if (state.process().isEmpty()) {
        remove(state);
      }
    }
    ControlSocket.removeThoseOfTheDead(this);
  }

  /** A claim of {@link #lock}. */
  public static final class Lock implements StateKeeper.Kept, AutoCloseable {
    private final Path file;
    private FileChannel channel; // guarded by this
    private Object key; // guarded by this

    private Lock(Path file, FileChannel channel) throws IOException {
      this.file = file;
      this.channel = channel;
      key = key();
    }

    private static void sign(FileChannel channel) throws IOException {
      channel.truncate(0).write(StandardCharsets.US_ASCII.encode(Long.toString(ProcessHandle.current().pid())));
    }

    private Object key() throws IOException {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Claims the name again if its file was removed or replaced. */
    @Override
    public synchronized void restore() throws IOException {
      if (!channel.isOpen() || Files.exists(file) && key().equals(key)) {
        return;
      }
      FileChannel fresh = PrivateFile.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (fresh.tryLock() == null) {
        fresh.close();
        throw new IOException("another process has claimed " + file);
      }
      sign(fresh);
      channel.close();
      channel = fresh;
      key = key();
    }

    @Override
    public synchronized void close() throws IOException {
      channel.close();
    }
  }

  public Path logFile(String name) {
    return path.resolve(name + ".log");
  }
}
