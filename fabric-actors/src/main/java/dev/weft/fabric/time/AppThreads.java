package dev.weft.fabric.time;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Application threads in virtual time, for code that blocks, such as a benchmark or a program on shared memory. Each is a virtual
 * thread that the simulation's own thread carries. If the JVM lacks {@code --add-opens=java.base/java.lang=ALL-UNNAMED}, each is a
 * platform thread, which is slower. Only the thread that holds the baton runs. The simulation's loop hands the baton over when a
 * thread's next event is due, and takes it back when the thread computes, parks or ends. The same seed and code give the same trace.
 *
 * <p>The thread that runs the {@link VirtualSystem} makes, runs and closes this. The failure of an application thread fails the run.
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
   * Adds a thread, which begins at this virtual time with the next run. Call it between runs, from an actor or from another
   * application thread.
   *
   * @param name name of the thread, shown in failures
   * @param body code that runs on the new thread, which it gets as its argument
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
   * @throws IllegalStateException if {@code maxVirtualNs} pass first, or nothing is left that could wake the threads; the message
   *     names the threads that have not ended
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

  /** Ends the threads that have not ended: the method in which a thread waits throws. Failures that result from this are ignored. */
  @Override
  public void close() {
    threads.forEach(AppThread::cancel);
  }
}
