package dev.weft.hca.node;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.time.Clock;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Receive contexts in real time: the hardware thread, a dedicated thread, the default dispatcher, and a thread for each poller. */
final class RealContexts implements ReceiveContexts {
  /** The time that a poller runs hardware actors before it checks whether it has been stopped. */
  private static final long HELP_NS = 1_000_000;

  private final Executor process;
  private final Executor taskQueue;
  private final HardwareDispatcher dispatcher;
  private final Clock clock;

  RealContexts(Executor process, Executor taskQueue, HardwareDispatcher dispatcher, Clock clock) {
    this.process = process;
    this.taskQueue = taskQueue;
    this.dispatcher = dispatcher;
    this.clock = clock;
  }

  @Override
  public void run(ReceiveContext context, Runnable handler) {
    switch (context) {
      case ISR -> handler.run();
      case TASK_QUEUE -> taskQueue.execute(handler);
      case PROCESS -> process.execute(handler);
      case POLLING -> throw new IllegalArgumentException("the context is POLLING, which gets no notifications; choose ISR, TASK_QUEUE or PROCESS");
    }
  }

  @Override
  public void defer(Runnable work) {
    process.execute(work);
  }

  @Override
  public PollLoop pollLoop(String name, CompletionQueue cq, Runnable work) {
    return new ThreadLoop(name, cq, work);
  }

  /**
   * A polling thread. While it waits, it runs the hardware actors (see {@link HardwareDispatcher#help}). If it has its own processor, it therefore sees
   * a completion as soon as it has produced it. It sleeps while stopped.
   */
  private final class ThreadLoop implements PollLoop {
    private final String name;
    private final CompletionQueue cq;
    private final Runnable work;
    private final BooleanSupplier until;
    private final Object working = new Object();
    private volatile Thread thread; // written only under this loop's lock
    private volatile boolean active;
    private volatile boolean closed;
    private volatile long limitNs;
    private volatile Runnable tooLong;

    ThreadLoop(String name, CompletionQueue cq, Runnable work) {
      this.name = name;
      this.cq = cq;
      this.work = work;
      this.until = this::look;
    }

    @Override
    public void start() {
      start(0, null);
    }

    @Override
    public synchronized void start(long maxNs, Runnable atLimit) {
      limitNs = clock.nowNs() + maxNs;
      tooLong = atLimit;
      active = true;
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("weft-poll-" + name).unstarted(this::loop);
        thread.start();
      } else {
        LockSupport.unpark(thread);
      }
    }

    @Override
    public void stop() {
      active = false;
      synchronized (working) {
        active = false;
      }
    }

    @Override
    public synchronized void close() {
      closed = true;
      stop();
      LockSupport.unpark(thread);
    }

    private void loop() {
      while (!closed) {
        if (!active) {
          LockSupport.park(this);
        } else {
          poll();
        }
      }
    }

    private void poll() {
      try (HardwareDispatcher.DeferredWake _ = dispatcher.deferWake()) {
        while (active) {
          long leftNs = tooLong == null ? HELP_NS : Math.min(HELP_NS, limitNs - clock.nowNs());
          if (leftNs <= 0) {
            giveUp();
          } else if (cq.size() > 0 || dispatcher.help(until, leftNs)) {
            workIfFound();
          }
        }
      }
    }

    /** Whether to stop running hardware actors. On the thread that runs them, does the polling work at once and continues. */
    private boolean look() {
      if (active && cq.size() > 0 && Thread.currentThread() == thread && dispatcher.isHardwareThread()) {
        workIfFound();
        return !active;
      }
      return !active || cq.size() > 0;
    }

    private void workIfFound() {
      synchronized (working) {
        if (active && cq.size() > 0) {
          work.run();
        }
      }
    }

    private void giveUp() {
      synchronized (working) {
        Runnable atLimit = tooLong;
        if (active && cq.size() == 0 && atLimit != null && limitNs - clock.nowNs() <= 0) {
          active = false;
          atLimit.run();
        } else {
          workIfFound();
        }
      }
    }
  }
}
