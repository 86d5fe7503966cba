package dev.weft.hca.node;

import akka.actor.typed.Behavior;
import akka.actor.typed.BehaviorInterceptor;
import akka.actor.typed.Signal;
import akka.actor.typed.TypedActorContext;
import dev.weft.fabric.ActorFailure;

/**
 * Records the exception that a role failed with, for the node that watches it. It is needed because roles are started through Akka's classic context,
 * and then Akka reports only that the role has ended. It also turns errors for which Akka would end the JVM into ordinary failures of the actor.
 */
final class FailureNote<T> extends BehaviorInterceptor<T, T> {
  private volatile Throwable failure;

  @SuppressWarnings("unchecked") // This class passes every message on unchanged.
  FailureNote() {
    super((Class<T>) Object.class);
  }

  /** The exception; null if the actor has not failed. */
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
