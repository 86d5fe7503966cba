package dev.weft.lab.kit;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.Terminated;
import akka.actor.typed.javadsl.Behaviors;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Notices roles that stop unexpectedly, because an actor that throws stops silently. */
public final class WatchDog {
  /** Watches an actor; {@code mayStop} says at its end whether that was expected. */
  public record Watch(ActorRef<?> actor, BooleanSupplier mayStop) {}

  private final Map<ActorRef<?>, BooleanSupplier> watched = new HashMap<>();

  private WatchDog() {}

  /** Makes a watch dog; {@code onLost} receives each actor that stopped unexpectedly. */
  public static Behavior<Watch> create(Consumer<String> onLost) {
    return Behaviors.setup(context -> {
      WatchDog dog = new WatchDog();
      return Behaviors.receive(Watch.class)
          .onMessage(Watch.class, watch -> {
            dog.watched.put(watch.actor(), watch.mayStop());
            context.watch(watch.actor());
            return Behaviors.same();
          })
          .onSignal(Terminated.class, ended -> {
            BooleanSupplier mayStop = dog.watched.remove(ended.getRef());
            if (mayStop != null && !mayStop.getAsBoolean()) {
              onLost.accept(ended.getRef().path().toStringWithoutAddress());
            }
            return Behaviors.same();
          })
          .build();
    });
  }
}
