package dev.weft.launcher.http;

import akka.actor.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Readiness check named in {@code reference.conf}: ready when the fabric is. Akka Management makes one per actor system. */
public final class FabricReadyCheck implements Supplier<CompletionStage<Boolean>> {
  private final FabricHealth health;

  /** Called by Akka Management. */
  public FabricReadyCheck(ActorSystem system) {
    health = FabricHealth.of(Adapter.toTyped(system));
  }

  @Override
  public CompletionStage<Boolean> get() {
    // Of a check that answers "false" Akka Management shows the name only, of one that fails its message.
    return health.isReady() ? CompletableFuture.completedFuture(true)
        : CompletableFuture.failedFuture(new IllegalStateException(health.problem()));
  }
}
