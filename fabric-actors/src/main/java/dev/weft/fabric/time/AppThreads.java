package dev.weft.fabric.time;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Application threads in virtual time: code that blocks, such as a benchmark or a program on shared memory. Each is a
 * virtual thread that the simulation's own thread carries, or a platform thread where the JVM lacks
 * {@code --add-opens=java.base/java.lang=ALL-UNNAMED}, which is slower. Only the one that holds the baton runs: the simulation's loop
 * hands the run over when a thread's next event is due and takes it back when the thread computes, parks or ends. Same seed, same
 * code: same trace.
 *
 * <p>Made, run and closed by the thread that runs the {@link VirtualSystem}. A thread's failure fails the run.
 */
public final class AppThreads implements AutoCloseable {
  private final VirtualSystem system;
  private final List<AppThread> threads = new ArrayList<>();
  /** A virtual thread cannot carry others. */
  private final boolean areCarried = CarriedThread.isPossible() && !Thread.currentThread().isVirtual();

  public AppThreads(VirtualSystem system) {
    this.system = system;
  }

  /**
   * Adds a thread; it begins at this virtual time with the next run. Called between runs, from an actor or from another
   * application thread.
   *
   * @param name shown in failures
   * @param body runs on the new thread and is given it
   */
  public AppThread start(String name, Consumer<AppThread> body) {
    AppThread thread = new AppThread(system.time(), name, body, areCarried);
    threads.add(thread);
    thread.begin();
    return thread;
  }

  /**
   * Runs until every thread that is not a daemon has ended.
   *
   * @throws IllegalStateException if {@code maxVirtualNs} pass before, or nothing is left that could wake them; it names those
   *     that have not ended
   */
  public void runToEnd(long maxVirtualNs) {
    if (!system.runUntil(this::isDone, maxVirtualNs)) {
      throw new IllegalStateException("after " + system.nowNs() + " ns of virtual time these have not ended: "
          + threads.stream().filter(thread -> !thread.isDone() && !thread.isDaemon()).map(AppThread::toString)
              .collect(Collectors.joining(", ")));
    }
  }

  /** Whether every thread that is not a daemon has ended. */
  public boolean isDone() {
    for (AppThread thread : threads) {
      if (!thread.isDone() && !thread.isDaemon()) {
        return false;
      }
    }
    return true;
  }

  /** Ends threads that have not ended: whatever they wait in throws. Their failures on the way out are dropped. */
  @Override
  public void close() {
    threads.forEach(AppThread::cancel);
  }
}
