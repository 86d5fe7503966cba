package dev.weft.fabric.dispatch;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that polls: the POLLING context of roles. While it has no task, it lends itself to the hardware actors (see {@link
 * HardwareDispatcher#help}). With a processor of its own, it so finds the result of a packet immediately. Helping spins; if there is
 * nothing to do for long, it sleeps for fractions of a millisecond. A task wakes the thread. The queue holds at most {@link #CAPACITY}
 * tasks and rejects more. Each actor has at most one task in it.
 */
final class PollingQueue implements Executor, AutoCloseable {
  static final int CAPACITY = 1 << 16;
  /** How long the thread lends itself before it checks whether the queue was closed. */
  private static final long HELP_NS = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(PollingQueue.class);

  private final ManyToOneConcurrentArrayQueue<Runnable> tasks = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
  private final HardwareDispatcher dispatcher;
  private final Thread thread;
  private volatile boolean closed;
  /** True while the thread helps, so that it may sleep. */
  private volatile boolean helping;

  PollingQueue(HardwareDispatcher dispatcher) {
    this.dispatcher = dispatcher;
    thread = Thread.ofPlatform().daemon().name("weft-polling").unstarted(this::work);
    thread.start();
  }

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("the polling thread has ended with its actor system");
    }
    if (!tasks.offer(task)) {
      throw new RejectedExecutionException("the polling thread has " + CAPACITY + " tasks already");
    }
    if (helping && Thread.currentThread() != thread) {
      LockSupport.unpark(thread);
    }
  }

  private void work() {
    while (!closed || !tasks.isEmpty()) {
      Runnable task = tasks.poll();
      if (task != null) {
        run(task);
      } else {
        helping = true;
        dispatcher.help(() -> closed || !tasks.isEmpty(), HELP_NS);
        helping = false;
      }
    }
    HardwareDispatchers.release(dispatcher);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) { // All roles share the thread, so the next task must run.
      LOG.error("a task of the polling thread failed", e);
    }
  }

  /** Ends the thread when the queued tasks have run. */
  @Override
  public void close() {
    closed = true;
  }
}
