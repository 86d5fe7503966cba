package dev.weft.hca;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A completion queue's interrupt: told once for each armed completion, it has the consumer's handler called in the receive context that
 * the consumer chose (seed 000 section 3.2).
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
  private final ReceiveContexts contexts;
  private final Runnable call;

  private CqActor(CompletionQueue cq, ReceiveContexts contexts) {
    this.cq = cq;
    this.contexts = contexts;
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

  static Behavior<Command> create(CompletionQueue cq, ReceiveContexts contexts) {
    CqActor actor = new CqActor(cq, contexts);
    return Behaviors.receiveMessage(actor::onMessage);
  }

  private Behavior<Command> onMessage(Command message) {
    return switch (message) {
      case Notify ignored -> onNotify();
      case Destroyed ignored -> Behaviors.stopped();
    };
  }

  private Behavior<Command> onNotify() {
    contexts.run(cq.context(), call);
    return Behaviors.same();
  }
}
