package dev.weft.fabric.dispatch;

import dev.weft.fabric.time.Clock;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A dedicated thread for tasks from the hardware thread: the TASK_QUEUE context of handlers and roles. After a task, the thread spins for some
 * microseconds, then sleeps. So a busy queue needs no wake-up through the kernel if a processor is free for the thread. After ten seconds
 * without a task, the thread ends. Each completion queue and each role has at most one task in the queue, so {@link #CAPACITY} tasks are enough
 * for the objects that an HCA holds by default. The queue rejects more.
 */
public final class TaskQueue implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);
  private static final int CAPACITY = 1 << 16;
  /** As long as the hardware thread spins by default. If both share a processor, a longer spin would keep the hardware thread from it. */
  private static final long SPIN_NS = 5_000;
  /** After this many unsuccessful spins in a row, it sleeps without a spin. That happens if it shares the processor with the hardware thread. */
  private static final int MISSES_MAX = 4;
  /** It spins again after every this many tasks; a power of two. */
  private static final int RETRY_TASKS = 64;
  private static final long IDLE_MAX_NS = 10_000_000_000L;

  private final ManyToOneConcurrentArrayQueue<Runnable> tasks = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
  private final Object lock = new Object();
  private volatile Thread thread; // written under the lock
  private volatile boolean sleeping;
  private volatile boolean closed;
  private final Clock clock;

  /** Makes a queue without a thread; the first task starts that. {@code clock} measures the spins. */
  public TaskQueue(Clock clock) {
    this.clock = clock;
  }

  /** Runs a task after all earlier ones. Any thread, usually the hardware thread. */
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

  /** Spins. Returns whether a task came meanwhile. */
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
    } catch (RuntimeException | Error e) { // All users share the thread, so the next task must run.
      LOG.error("a task of the task queue failed", e);
    }
  }

  /** Sleeps. Returns false if the thread must end, because no task came for long. A task that is offered after the last check starts a new thread. */
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

  /** Ends the thread when the queued tasks have run. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
