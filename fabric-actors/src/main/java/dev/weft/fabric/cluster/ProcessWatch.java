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
 * Reports the end of a process of this host within a fraction of a second. The report is certain, not derived from a timeout. A process that
 * is stopped or starved is alive; a process that was killed is dead, even if its parent has not yet waited for it. Any thread.
 */
public final class ProcessWatch implements AutoCloseable {
  private static final long LOOK_MS = 250;
  private static final long AWAIT_MS = 10;
  /** Bits in proc(5): the flag of a process that ends, and SIGKILL among the pending signals. */
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
   * Calls {@code onEnd} once, on the thread of all watches, when the process has ended; soon if it has ended already. {@code onEnd} must not
   * block.
   *
   * @param pid process id in the namespace of this process
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
        continue; // No code interrupts this thread to end it.
      }
      WATCHES.forEach(ProcessWatch::look);
    }
  }

  private void look() {
    if ((incarnation == null || !incarnation.equals(incarnation(pid))) && WATCHES.remove(this)) {
      onEnd.run();
    }
  }

  /** Whether a process exists and is neither dead nor dying. */
  public static boolean isAlive(long pid) {
    return incarnation(pid) != null;
  }

  /** Whether a process is gone, except for the entry for which its parent has to wait: its files are closed, its memory is free. */
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
   * Waits until {@link #isGone}. {@link ProcessHandle#onExit} is not enough, because it waits until the parent has collected the exit status. If the parent
   * has died, that is the task of the first process of a container, which may never do it.
   *
   * @return false if the process was not gone after {@code ms} milliseconds
   */
  public static boolean awaitEnd(long pid, long ms) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    String awaited = incarnation(pid);
    while (!isGone(pid)) {
      String now = incarnation(pid);
      if (awaited != null && now != null && !awaited.equals(now)) {
        return true; // Another process has the number already.
      }
      if (System.nanoTime() - endNs >= 0) {
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(AWAIT_MS);
    }
    return true;
  }

  /** Returns a value that distinguishes a process from later ones with the same number; null if there is no process, or it is dead or dying. */
  private static String incarnation(long pid) {
    String stat;
    try {
      stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return Files.isDirectory(Path.of("/proc/self")) ? null : ofHandle(pid);
    }
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" "); // The fields from the third on, because the second may contain any text.
    boolean isDead = fields[0].equals("Z") || fields[0].equals("X") || (Long.parseLong(fields[6]) & EXITING) != 0
        || (Long.parseLong(fields[28]) & KILLED) != 0;
    return isDead ? null : fields[19];
  }

  private static String ofHandle(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).map(handle -> handle.info().startInstant().toString()).orElse(null);
  }

  /** Ends the watch. */
  @Override
  public void close() {
    WATCHES.remove(this);
  }
}
