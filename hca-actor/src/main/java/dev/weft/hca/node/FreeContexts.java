package dev.weft.hca.node;

import dev.weft.hca.CompletionQueue;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.ReceiveContexts;
import java.util.concurrent.Executor;

/** Receive contexts in virtual time without a hardware profile: everything but the order of events is free. */
record FreeContexts(Executor executor) implements ReceiveContexts {
  @Override
  public void run(ReceiveContext context, Runnable handler) {
    switch (context) {
      case ISR -> handler.run();
      case TASK_QUEUE, PROCESS -> executor.execute(handler);
      case POLLING -> throw new IllegalArgumentException("a polling consumer is not notified");
    }
  }

  @Override
  public void defer(Runnable work) {
    executor.execute(work);
  }

  @Override
  public PollLoop pollLoop(String name, CompletionQueue cq, Runnable work) {
    return new TaskLoop(cq, work);
  }

  /** Looks after each completion. Polling costs nothing, so it has no limit. */
  private final class TaskLoop implements PollLoop {
    private final CompletionQueue cq;
    private final Runnable work;
    private boolean active;
    private boolean looking;

    TaskLoop(CompletionQueue cq, Runnable work) {
      this.cq = cq;
      this.work = work;
      cq.watch(this::look);
    }

    @Override
    public void start() {
      active = true;
      look();
    }

    @Override
    public void start(long maxNs, Runnable tooLong) {
      start();
    }

    private void look() {
      if (active && !looking && cq.size() > 0) {
        looking = true;
        executor.execute(this::found);
      }
    }

    private void found() {
      looking = false;
      if (active && cq.size() > 0) {
        work.run();
        look();
      }
    }

    @Override
    public void stop() {
      active = false;
    }

    @Override
    public void close() {
      stop();
      cq.watch(null);
    }
  }
}
