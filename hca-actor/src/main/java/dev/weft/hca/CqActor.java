package dev.weft.hca;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A completion queue's interrupt: told once for each armed completion, it calls the consumer's handler in the receive context that the
 * consumer chose (seed 000 section 3.2). For ISR that is here, on the hardware thread.
 */
final class CqActor {
  sealed interface Command {}

  /** An armed completion has arrived. */
  record Notify() implements Command {}

  /** The queue was destroyed. */
  record Destroyed() implements Command {}

  private static final Logger LOG = LoggerFactory.getLogger(CqActor.class);

  static final Notify NOTIFY = new Notify();
  static final Destroyed DESTROYED = new Destroyed();

  private final CompletionQueue cq;
  private final Executor executor;
  private final Runnable call;

  private CqActor(CompletionQueue cq, Executor executor) {
    this.cq = cq;
    this.executor = executor;
    this.call = this::callHandler;
  }

  /** A handler that throws has failed its consumer, not the hardware: it is reported, and the queue can be armed again. */
  private void callHandler() {
    try {
      cq.handler().onCompletionEvent(cq);
    } catch (RuntimeException e) {
      LOG.error("the handler of {} failed", cq, e);
    }
  }

  /** {@code executor} is where the handler runs; null means on this actor's own thread. */
  static Behavior<Command> create(CompletionQueue cq, Executor executor) {
    CqActor actor = new CqActor(cq, executor);
    return Behaviors.receiveMessage(actor::onMessage);
  }

  private Behavior<Command> onMessage(Command message) {
    return switch (message) {
      case Notify ignored -> onNotify();
      case Destroyed ignored -> Behaviors.stopped();
    };
  }

  private Behavior<Command> onNotify() {
    if (executor == null) {
      callHandler();
    } else {
      executor.execute(call);
    }
    return Behaviors.same();
  }
}
