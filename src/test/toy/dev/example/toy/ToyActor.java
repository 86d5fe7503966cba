package dev.example.toy;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.util.function.IntConsumer;

/** A toy: it goes as many steps as it was wound up for. */
final class ToyActor {
  sealed interface Command {}

  /** @param gone told how many steps that were */
  record Wind(int turns, IntConsumer gone) implements Command {}

  private ToyActor() {}

  static Behavior<Command> create() {
    return Behaviors.receiveMessage(ToyActor::onMessage);
  }

  private static Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Wind wind -> wind.gone().accept(wind.turns());
    }
    return Behaviors.same();
  }
}
