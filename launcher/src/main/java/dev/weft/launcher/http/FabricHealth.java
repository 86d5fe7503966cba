package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Whether the fabric of an actor system is up, as an extension: Akka Management makes its health checks by class name. */
final class FabricHealth implements Extension {
  private static final ExtensionId<FabricHealth> ID = new ExtensionId<>() {
    @Override
    public FabricHealth createExtension(ActorSystem<?> system) {
      return new FabricHealth();
    }
  };

  private volatile BooleanSupplier ready = () -> false;
  private volatile Supplier<String> services = () -> "";

  private FabricHealth() {}

  static FabricHealth of(ActorSystem<?> system) {
    return system.registerExtension(ID);
  }

  /**
   * Not ready until this was called.
   *
   * @param problem what the services do not do that they are there for; empty if they do all
   */
  void readyWhen(BooleanSupplier condition, Supplier<String> problem) {
    services = problem;
    ready = condition;
  }

  boolean isReady() {
    return ready.getAsBoolean() && services.get().isEmpty();
  }

  /** What to tell somebody who asks when it is not ready. */
  String problem() {
    String problem = services.get();
    return problem.isEmpty() ? "the fabric is not up" : problem;
  }
}
