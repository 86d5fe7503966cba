package dev.weft.fabric;

import akka.actor.typed.Behavior;
import akka.actor.typed.ExtensibleBehavior;
import akka.actor.typed.Signal;
import akka.actor.typed.TypedActorContext;
import akka.actor.typed.javadsl.Behaviors;

/**
 * An actor that is its own behaviour: as {@link Behaviors#receiveMessage} of {@link #onMessage}, without the three objects that this
 * would put between the actor's cell and its state. For those that handle every packet: where thousands of them are simulated, each such
 * object is a wait for memory.
 */
public abstract class HardwareActor<T> extends ExtensibleBehavior<T> {
  /** One per message; answers as any behaviour. */
  protected abstract Behavior<T> onMessage(T message);

  /**
   * Reads what {@link #onMessage} of this message is going to read, and changes nothing; answers anything that depends on all of it.
   * The simulation calls it for many actors one after the other, whose state is then fetched at the same time. May do nothing.
   */
  public int look(T message) {
    return 0;
  }

  @Override
  public final Behavior<T> receive(TypedActorContext<T> context, T message) {
    return onMessage(message);
  }

  @Override
  public final Behavior<T> receiveSignal(TypedActorContext<T> context, Signal signal) {
    return Behaviors.unhandled();
  }
}
