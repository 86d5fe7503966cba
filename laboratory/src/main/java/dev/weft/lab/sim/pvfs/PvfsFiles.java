package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.wire.FileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** The histories of all files of a run. */
final class PvfsFiles {
  /**
   * A file that all clients use.
   *
   * @param history its changes
   */
  record Shared(String name, long inode, FileHistory history) {}

  private final LongSupplier ticks;
  private final Violations violations;
  private final List<Shared> shared = new ArrayList<>();
  private final List<FileHistory> histories = new ArrayList<>();
  /** Losses by daemon, while the daemon is away. */
  private final Map<Integer, List<FileHistory.Change>> losses = new HashMap<>();
  private boolean hadLoss;
  private int ids;

  PvfsFiles(LongSupplier ticks, Violations violations) {
    this.ticks = ticks;
    this.violations = violations;
  }

  /** Facts that only repeated writes explain, if a daemon already had some of their data. */
  List<String> suspicions() {
    return histories.stream().flatMap(history -> history.suspicions().stream()).toList();
  }

  List<Shared> shared() {
    return shared;
  }

  void share(String name, FileAttributes made) {
    shared.add(new Shared(name, made.inode(), add(name, made)));
  }

  FileHistory add(String name, FileAttributes made) {
    FileHistory history = new FileHistory(name, made.striping(), violations);
    histories.add(history);
    return history;
  }

  /** A number for a write. */
  int nextId() {
    if (++ids >= FileHistory.IDS_MAX) {
      throw new IllegalStateException("more than " + FileHistory.IDS_MAX + " writes in a run");
    }
    return ids;
  }

  /** A daemon has died, and lost its memory. */
  void lost(int daemon) {
    hadLoss = true;
    long at = ticks.getAsLong();
    List<FileHistory.Change> of = losses.computeIfAbsent(daemon, _ -> new ArrayList<>());
    histories.forEach(history -> of.add(history.lose(daemon, at)));
  }

  /** Another daemon has taken its place. */
  void found(int daemon) {
    long at = ticks.getAsLong();
    losses.remove(daemon).forEach(change -> FileHistory.end(change, at, true));
  }

  /** A daemon with a disk ends, or is killed. */
  void replaced() {
    histories.forEach(FileHistory::replaced);
  }

  /** The machine of a daemon fails. */
  void losePower(int daemon) {
    hadLoss = true;
    long at = ticks.getAsLong();
    histories.forEach(history -> history.losePower(daemon, at));
  }

  /** A daemon has started: its data is on the disk. */
  void synced(int daemon) {
    long at = ticks.getAsLong();
    histories.forEach(history -> history.synced(daemon, at, at));
  }

  /** Checks a length that the manager knows; the manager does not know what daemons have lost. */
  void checkKnownLength(FileHistory history, String who, long bytes, long begin) {
    if (!hadLoss) {
      history.checkLength(who + ", told by the manager,", bytes, begin, ticks.getAsLong());
    }
  }
}
