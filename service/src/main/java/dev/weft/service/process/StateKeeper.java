package dev.weft.service.process;

import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a JVM's files in the state directory: its record, its sockets, its claim and the keys beside them. Another program may empty or remove that
 * directory, for example systemd-tmpfiles when the files are old. This class checks every second and restores missing files. It also locks the
 * directory and renews the record's time, so that systemd-tmpfiles leaves both alone. Any thread.
 */
public final class StateKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StateKeeper.class);
  /** An hour. That is enough, because clean-up programs remove files that are days old. */
  private static final int RENEWAL_LOOKS = 3600;
  private static final long END_PATIENCE_S = 10;
  private static final int KEYS_MAX = 16;
  private static final long KEY_BYTES_MAX = 8192;

  /** A file in the state directory that can be restored. */
  @FunctionalInterface
  public interface Kept {
    /** Restores the file if it is missing. */
    void restore() throws IOException;
  }

  private final StateDirectory states;
  private final RunState record;
  private final Map<Path, byte[]> keys;
  private final List<Kept> kept = new CopyOnWriteArrayList<>();
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("weft-state-", 0).factory());
  private DirectoryLock lock; // used by the thread only; null without a lock
  private String problem = "";
  private int looks;

  private StateKeeper(StateDirectory states, RunState record) throws IOException {
    this.states = states;
    this.record = record;
    keys = keys(states.path());
  }

  /** Writes the record of this process and keeps it until {@link #close}. */
  public static StateKeeper start(StateDirectory states, RunState record) throws IOException {
    record.write(states.path());
    StateKeeper keeper = new StateKeeper(states, record);
    keeper.lock = DirectoryLock.take(states.path());
    keeper.thread.scheduleWithFixedDelay(keeper::look, 1, 1, TimeUnit.SECONDS);
    return keeper;
  }

  /** Keeps one more file. */
  public void keep(Kept more) {
    kept.add(more);
  }

  /** Reads the secrets and keys in the directory, which JVMs that start later need. */
  private static Map<Path, byte[]> keys(Path directory) throws IOException {
    Map<Path, byte[]> found = new LinkedHashMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "{*secret,*.key}")) {
      for (Path file : files) {
        if (found.size() < KEYS_MAX && Files.isRegularFile(file) && Files.size(file) <= KEY_BYTES_MAX) {
          found.put(file, Files.readAllBytes(file));
        }
      }
    }
    return found;
  }

  private void look() {
    try {
      restore();
      problem = "";
    } catch (IOException | RuntimeException e) {
      if (!e.toString().equals(problem)) {
        problem = e.toString();
        LOG.warn("the state directory {} does not keep the record of this fabric, so 'weft status' and 'weft down' may not find it: {}",
            states.path(), e.getMessage());
      }
    }
  }

  private void restore() throws IOException {
    looks++;
    StateDirectory.open(states.path());
    Path file = states.path().resolve(record.fileName());
    if (Files.notExists(file)) {
      record.write(states.path());
      for (Map.Entry<Path, byte[]> key : keys.entrySet()) {
        if (Files.notExists(key.getKey())) {
          PrivateFile.replace(key.getKey(), key.getValue());
        }
      }
      LOG.warn("the state directory {} was emptied; the record of this process is restored", states.path());
    } else if (looks % RENEWAL_LOOKS == 0) {
      record.write(states.path());
    }
    for (Kept each : kept) {
      each.restore();
    }
    relock();
  }

  /** Locks the directory if this process does not hold the lock; a clean-up program may have held it at the last check. */
  private void relock() throws IOException {
    if (lock != null && lock.isOn(states.path())) {
      return;
    }
    if (lock != null) {
      lock.close();
      lock = null;
    }
    lock = DirectoryLock.take(states.path());
  }

  /** Stops and removes the record. The owners of the other files remove them afterwards. */
  @Override
  public void close() throws IOException {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(END_PATIENCE_S, TimeUnit.SECONDS)) {
        LOG.warn("the state directory {} does not answer", states.path());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (lock != null) {
      lock.close();
      lock = null;
    }
    states.remove(record);
  }
}
