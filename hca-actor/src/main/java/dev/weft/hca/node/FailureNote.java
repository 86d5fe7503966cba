package dev.weft.hca.node;

import akka.actor.typed.Behavior;
import akka.actor.typed.BehaviorInterceptor;
import akka.actor.typed.Signal;
import akka.actor.typed.TypedActorContext;
import dev.weft.fabric.ActorFailure;

/**
 * Keeps what a role failed with, for the node that watches it: Akka tells a node only that a role has ended which was started through the classic
 * context. An error that Akka takes for none of the actor's, and ends the JVM for, is a failure of the actor like others.
 */
final class FailureNote<T> extends BehaviorInterceptor<T, T> {
  private volatile Throwable failure;

  @SuppressWarnings("unchecked") // Every message is passed on as it is.
  FailureNote() {
    super((Class<T>) Object.class);
  }

  /** Null if it has not failed. */
  Throwable failure() {
    return failure;
  }

  private RuntimeException noted(Throwable thrown) {
    failure = thrown;
    return ActorFailure.of(thrown);
  }

  @Override
  public Behavior<T> aroundStart(TypedActorContext<T> context, PreStartTarget<T> target) {
    try {
      return target.start(context);
    } catch (RuntimeException | Error thrown) {
      throw noted(thrown);
    }
  }

  @Override
  public Behavior<T> aroundReceive(TypedActorContext<T> context, T message, ReceiveTarget<T> target) {
    try {
      return target.apply(context, message);
    } catch (RuntimeException | Error thrown) {
      throw noted(thrown);
    }
  }

  @Override
  public Behavior<T> aroundSignal(TypedActorContext<T> context, Signal signal, SignalTarget<T> target) {
    try {
      return target.apply(context, signal);
    } catch (RuntimeException | Error thrown) {
      throw noted(thrown);
    }
  }
}
