package dev.example.toy;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;

/** A toy that does nothing. */
final class ToyActor {
  sealed interface Command {}

  record Wind() implements Command {}

  private ToyActor() {}

  static Behavior<Command> create() {
    return Behaviors.receiveMessage(message -> Behaviors.same());
  }
}
