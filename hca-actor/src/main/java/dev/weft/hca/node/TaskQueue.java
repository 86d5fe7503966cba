package dev.weft.hca.node;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dedicated thread of the TASK_QUEUE receive context. After a task it spins for some microseconds, so that a busy queue needs no
 * wake-up through the kernel, then sleeps; without tasks for ten seconds the thread ends. Each completion queue has at most one
 * notification outstanding, so {@link #CAPACITY} tasks are enough for as many completion queues as an HCA holds by default; one more
 * is refused.
 */
final class TaskQueue implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TaskQueue.class);
  private static final int CAPACITY = 1 << 16;
  /** About 20 to 100 us. Longer would cost the processor that an application needs. */
  private static final int SPINS = 4_000;
  private static final long IDLE_MAX_NS = 10_000_000_000L;

  private final ManyToOneConcurrentArrayQueue<Runnable> tasks = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
  private final Object lock = new Object();
  private volatile Thread thread; // written under the lock
  private volatile boolean sleeping;
  private volatile boolean closed;

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
    int idle = 0;
    while (!closed || !tasks.isEmpty()) {
      Runnable task = tasks.poll();
      if (task != null) {
        idle = 0;
        run(task);
      } else if (++idle < SPINS) {
        Thread.onSpinWait();
      } else if (!sleep()) {
        return;
      }
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
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
