package dev.weft.hca;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;

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

  static final Notify NOTIFY = new Notify();
  static final Destroyed DESTROYED = new Destroyed();

  private final CompletionQueue cq;
  private final ReceiveContexts contexts;
  private final Runnable call;

  private CqActor(CompletionQueue cq, ReceiveContexts contexts) {
    this.cq = cq;
    this.contexts = contexts;
    this.call = cq::callHandler;
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
    cq.notifying();
    contexts.run(cq.context(), call);
    return Behaviors.same();
  }
}
