package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.hca.VerbsException.Errno;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Brings control verbs to the hardware thread, as {@link Hca} describes. Any thread. */
final class HardwareCalls {
  private final String nodeName;
  private final HcaSettings settings;
  private final BooleanSupplier onHardwareThread;
  private final Supplier<ActorRef<HardwareMessage>> actor;

  HardwareCalls(String nodeName, HcaSettings settings, BooleanSupplier onHardwareThread, Supplier<ActorRef<HardwareMessage>> actor) {
    this.nodeName = nodeName;
    this.settings = settings;
    this.onHardwareThread = onHardwareThread;
    this.actor = actor;
  }

  boolean onHardwareThread() {
    return onHardwareThread.getAsBoolean();
  }

  <T> CompletionStage<T> later(Supplier<T> action) {
    CompletableFuture<T> result = new CompletableFuture<>();
    actor.get().tell(new HcaActor.Control(() -> {
      try {
        result.complete(action.get());
      } catch (RuntimeException | Error failed) {
        // Goes to whoever waits; it must not end the HCA's actor.
        result.completeExceptionally(failed);
      }
    }));
    return result;
  }

  <T> T control(Supplier<T> verb) {
    if (onHardwareThread.getAsBoolean()) {
      return verb.get();
    }
    HardwareCall<T> call = new HardwareCall<>(verb);
    actor.get().tell(new HcaActor.Control(call));
    try {
      return call.await(settings.controlTimeout());
    } catch (ExecutionException e) {
      if (e.getCause() instanceof VerbsException refused) {
        throw refused;
      }
      throw new IllegalStateException("the HCA of " + nodeName + " could not do it: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new VerbsException(Errno.ETIMEDOUT, "the HCA of " + nodeName + " did not take it up within "
          + settings.controlTimeout() + " and will not do it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(Errno.EINTR, "interrupted before the HCA of " + nodeName + " took it up; it will not do it");
    }
  }
}
