package dev.weft.hca.node;

import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import java.util.concurrent.Executor;

/** Receive contexts in virtual time without a hardware profile: work takes no virtual time, only the order of events matters. */
record FreeContexts(Executor executor) implements ReceiveContexts {
  @Override
  public void run(ReceiveContext context, Runnable handler) {
    switch (context) {
      case ISR -> handler.run();
      case TASK_QUEUE, PROCESS -> executor.execute(handler);
      case POLLING -> throw new IllegalArgumentException("the context is POLLING, which gets no notifications; choose ISR, TASK_QUEUE or PROCESS");
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

  /** A poll loop without a time limit, because polling costs nothing. */
  private final class TaskLoop extends WatchLoop {
    TaskLoop(CompletionQueue cq, Runnable work) {
      super(cq, work);
    }

    @Override
    public void start(long maxNs, Runnable tooLong) {
      start();
    }

    @Override
    void poll(Runnable found) {
      executor.execute(found);
    }
  }
}
