package dev.weft.launcher.http;

import akka.actor.ActorSystem;
import akka.actor.typed.javadsl.Adapter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The readiness check that {@code reference.conf} names: it succeeds if the fabric is ready. Akka Management makes one per actor system. */
public final class FabricReadyCheck implements Supplier<CompletionStage<Boolean>> {
  private final FabricHealth health;

  /** Called by Akka Management. */
  public FabricReadyCheck(ActorSystem system) {
    health = FabricHealth.of(Adapter.toTyped(system));
  }

  @Override
  public CompletionStage<Boolean> get() {
    // For a check that returns false, Akka Management shows only its name; for one that fails, it shows the message.
    return health.isReady() ? CompletableFuture.completedFuture(true)
        : CompletableFuture.failedFuture(new IllegalStateException(health.problem()));
  }
}
