package dev.weft.fabric.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Tells when a process of this host has ended, a fraction of a second later: that it is dead is known then, not guessed from its silence. A
 * process that was stopped or starves lives; one that was killed and not yet waited for by its parent is dead. Any thread.
 */
public final class ProcessWatch implements AutoCloseable {
  private static final long LOOK_MS = 250;
  private static final long AWAIT_MS = 10;
  /** In proc(5): the flag of a process that ends, and SIGKILL among the pending signals. */
  private static final long EXITING = 4;
  private static final long KILLED = 1 << 8;
  private static final List<ProcessWatch> WATCHES = new CopyOnWriteArrayList<>();
  private static Thread thread;

  private final long pid;
  private final String incarnation;
  private final Runnable onEnd;

  private ProcessWatch(long pid, String incarnation, Runnable onEnd) {
    this.pid = pid;
    this.incarnation = incarnation;
    this.onEnd = onEnd;
  }

  /**
   * Calls {@code onEnd} once, on the thread of all watches, when the process has ended; soon if it has already. It must not wait.
   *
   * @param pid as this process sees it
   */
  public static ProcessWatch start(long pid, Runnable onEnd) {
    ProcessWatch watch = new ProcessWatch(pid, incarnation(pid), onEnd);
    synchronized (ProcessWatch.class) {
      WATCHES.add(watch);
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("weft-process-watch").start(ProcessWatch::run);
      }
    }
    return watch;
  }

  private static void run() {
    while (true) {
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MS);
      } catch (InterruptedException e) {
        continue; // Nobody asks this thread to end.
      }
      WATCHES.forEach(ProcessWatch::look);
    }
  }

  private void look() {
    if ((incarnation == null || !incarnation.equals(incarnation(pid))) && WATCHES.remove(this)) {
      onEnd.run();
    }
  }

  /** Whether a process runs that is neither dead nor dying. */
  public static boolean isAlive(long pid) {
    return incarnation(pid) != null;
  }

  /** Whether nothing is left of a process but what its parent has to wait for: its files are closed, its memory is free. */
  public static boolean isGone(long pid) {
    if (isAlive(pid)) {
      return false;
    }
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      return threads.count() <= 1 && Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1).contains(") Z ");
    } catch (IOException | UncheckedIOException gone) {
      return true;
    }
  }

  /**
   * Waits until {@link #isGone}. Not as {@link ProcessHandle#onExit}, which waits until somebody has asked how the process ended: for one whose parent has
   * died that is the first process of a container, which may never ask.
   *
   * @return false if it was not gone after {@code ms} milliseconds
   */
  public static boolean awaitEnd(long pid, long ms) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    String awaited = incarnation(pid);
    while (!isGone(pid)) {
      String now = incarnation(pid);
      if (awaited != null && now != null && !awaited.equals(now)) {
        return true; // Its number is another one's already.
      }
      if (System.nanoTime() - endNs >= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(AWAIT_MS);
    }
    return true;
  }

  /** Tells a process from a later one with its number; null if there is none, or only what is left of one. */
  private static String incarnation(long pid) {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return Files.isDirectory(Path.of("/proc/self")) ? null : ofHandle(pid);
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" "); // From the third on: the second may contain anything.
    boolean isDead = fields[0].equals("Z") || fields[0].equals("X") || (Long.parseLong(fields[6]) & EXITING) != 0
        || (Long.parseLong(fields[28]) & KILLED) != 0;
    return isDead ? null : fields[19];
  }

  private static String ofHandle(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).map(handle -> handle.info().startInstant().toString()).orElse(null);
  }

  /** Looks no more. */
  @Override
  public void close() {
    WATCHES.remove(this);
  }
}
