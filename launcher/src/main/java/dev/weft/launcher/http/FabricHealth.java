package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import java.util.function.BooleanSupplier;

/** Whether the fabric of an actor system is up, as an extension: Akka Management makes its health checks by class name. */
final class FabricHealth implements Extension {
  private static final ExtensionId<FabricHealth> ID = new ExtensionId<>() {
    @Override
    public FabricHealth createExtension(ActorSystem<?> system) {
      return new FabricHealth();
    }
  };

  private volatile BooleanSupplier ready = () -> false;

  private FabricHealth() {}

  static FabricHealth of(ActorSystem<?> system) {
    return system.registerExtension(ID);
  }

  /** Not ready until this was called. */
  void readyWhen(BooleanSupplier condition) {
    ready = condition;
  }

  boolean isReady() {
    return ready.getAsBoolean();
  }
}
