package dev.weft.fabric.dispatch;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that polls: the POLLING context of roles. While it has no task it lends itself to the hardware actors (see {@link
 * HardwareDispatcher#help}), so that with a processor of its own it finds what a packet has brought in the moment that it has brought it; that
 * spins, and sleeps for parts of a millisecond when there is nothing for long. A task wakes it. Bound:
 * {@link #CAPACITY} tasks; one more is refused. Each actor has at most one task in it.
 */
final class PollingQueue implements Executor, AutoCloseable {
  static final int CAPACITY = 1 << 16;
  /** How long it lends itself before it looks whether it was closed. */
  private static final long HELP_NS = 1_000_000;
  private static final Logger LOG = LoggerFactory.getLogger(PollingQueue.class);

  private final ManyToOneConcurrentArrayQueue<Runnable> tasks = new ManyToOneConcurrentArrayQueue<>(CAPACITY);
  private final HardwareDispatcher dispatcher;
  private final Thread thread;
  private volatile boolean closed;
  /** It may sleep. */
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
    dispatcher.releaseView();
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) { // The thread is everybody's: the next task runs all the same.
      LOG.error("a task of the polling thread failed", e);
    }
  }

  /** Ends the thread when what is queued has run. */
  @Override
  public void close() {
    closed = true;
  }
}
