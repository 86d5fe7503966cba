package dev.weft.launcher.http;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.Extension;
import akka.actor.typed.ExtensionId;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Whether the fabric of an actor system is up, as an extension: Akka Management makes its health checks by class name. */
final class FabricHealth implements Extension {
  private static final ExtensionId<FabricHealth> ID = new ExtensionId<>() {
    @Override
    public FabricHealth createExtension(ActorSystem<?> system) {
      return new FabricHealth();
    }
  };

  private volatile BooleanSupplier ready = () -> false;
  private volatile Supplier<List<PagerSection.Export>> exports = List::of;

  private FabricHealth() {}

  static FabricHealth of(ActorSystem<?> system) {
    return system.registerExtension(ID);
  }

  /**
   * Not ready until this was called.
   *
   * @param served the block devices, in which the reason is looked for
   */
  void readyWhen(BooleanSupplier condition, Supplier<List<PagerSection.Export>> served) {
    exports = served;
    ready = condition;
  }

  boolean isReady() {
    return ready.getAsBoolean();
  }

  /** What to tell somebody who asks when it is not ready. */
  String problem() {
    String lost = Alarms.ofExports(exports.get()).stream().filter(alarm -> alarm.kind().equals(Alarms.AREA_LOST)).map(Alarm::text)
        .collect(Collectors.joining("; "));
    return lost.isEmpty() ? "the fabric is not up" : lost;
  }
}
