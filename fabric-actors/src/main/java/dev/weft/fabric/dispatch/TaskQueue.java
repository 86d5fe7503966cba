package dev.weft.fabric.dispatch;

import dev.weft.fabric.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A dedicated thread, fed by the hardware thread: the TASK_QUEUE context of handlers and roles. After a task it spins for some microseconds, so
 * that a busy queue needs no wake-up through the kernel where a processor is free for it, then sleeps; without tasks for ten seconds the thread
 * ends. Each completion queue and each role has at most one task in it, so {@link #CAPACITY} are enough for as many as an HCA holds by
 * default; one more is refused.
 */
public final class TaskQueue implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);
  private static final int CAPACITY = 1 << 16;
  /** As long as the hardware thread spins by default: longer would keep it from the processor where they share one. */
  private static final long SPIN_NS = 5_000;
  /** After so many spins in vain in a row, as where the hardware thread shares the processor, it sleeps at once. */
  private static final int MISSES_MAX = 4;
  /** But tries again every so many tasks, a power of two. */
  private static final int RETRY_TASKS = 64;
  private static final long IDLE_MAX_NS = 10_000_000_000L;

  private final ManyToOneConcurrentArrayQueue<Runnable> tasks = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
  private final Object lock = new Object();
  private volatile Thread thread; // written under the lock
  private volatile boolean sleeping;
  private volatile boolean closed;
  private final Clock clock;

  /** No thread yet; {@code clock} says how long it spins. */
  public TaskQueue(Clock clock) {
    this.clock = clock;
  }

  /** Runs a task after those given before. Any thread, usually the hardware's. */
  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the task queue has ended with its fabric");
    }
    if (!tasks.offer(task)) {
      throw new RejectedExecutionException("the task queue holds " + CAPACITY + " tasks already");
    }
    Thread worker = thread;
    if (worker == null) {
      startThread();
    } else if (sleeping) {
      LockSupport.unpark(worker);
    }
  }

  private void startThread() {
    synchronized (lock) {
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("weft-task-queue").unstarted(this::work);
        thread.start();
      }
    }
  }

  private void work() {
    int misses = 0;
    for (long done = 0; !closed || !tasks.isEmpty(); ) {
      Runnable task = tasks.poll();
      if (task != null) {
        run(task);
        done++;
      } else if ((misses < MISSES_MAX || (done & RETRY_TASKS - 1) == 0) && spin()) {
        misses = 0;
      } else {
        misses++;
        if (!sleep()) {
          return;
        }
      }
    }
  }

  /** Whether a task came soon. */
  private boolean spin() {
    long startNs = clock.nowNs();
    while (tasks.isEmpty()) {
      if (closed || clock.nowNs() - startNs >= SPIN_NS) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) { // The thread is everybody's: the next task runs all the same.
      LOG.error("a task of the task queue failed", e);
    }
  }

  /** False when the thread has slept so long that it may end. A task offered after the last look finds no thread and starts one. */
  private boolean sleep() {
    sleeping = true;
    if (tasks.isEmpty() && !closed) {
      LockSupport.parkNanos(this, IDLE_MAX_NS);
    }
    sleeping = false;
    if (!tasks.isEmpty() || closed) {
      return true;
    }
    synchronized (lock) {
      thread = null;
      if (tasks.isEmpty()) {
        return false;
      }
      thread = Thread.currentThread();
      return true;
    }
  }

  /** Ends the thread when what is queued has run. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
