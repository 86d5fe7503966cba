package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Whether the fabric of an actor system is up. It is an extension, because Akka Management makes its health checks by class name. */
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
   * Sets the condition. Before this call, the fabric is not ready.
   *
   * @param condition whether the fabric is up
   * @param problem returns why services cannot do their task; empty if they can
   */
  void readyWhen(BooleanSupplier condition, Supplier<String> problem) {
    services = problem;
    ready = condition;
  }

  boolean isReady() {
    return ready.getAsBoolean() && services.get().isEmpty();
  }

  /** Returns why the fabric is not ready. */
  String problem() {
    String problem = services.get();
    return problem.isEmpty() ? "the fabric is not up" : problem;
  }
}
