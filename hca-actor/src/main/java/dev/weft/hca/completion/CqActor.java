package dev.weft.hca.completion;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.verbs.ReceiveContexts;

/**
 * The interrupt of a completion queue. It receives one message for each armed completion, and runs the consumer's handler in the receive context that
 * the consumer chose (Kernel DSM section 3.2).
 */
public final class CqActor {
  /** The actor's messages. */
  public sealed interface Command {}

  /** An armed completion has arrived. */
  record Notify() implements Command {}

  /** The queue was destroyed. */
  record Destroyed() implements Command {}

  static final Notify NOTIFY = new Notify();
  static final Destroyed DESTROYED = new Destroyed();

  private final Cq cq;
  private final ReceiveContexts contexts;
  private final Runnable call;

  private CqActor(Cq cq, ReceiveContexts contexts) {
    this.cq = cq;
    this.contexts = contexts;
    this.call = cq::callHandler;
  }

  public static Behavior<Command> create(Cq cq, ReceiveContexts contexts) {
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
