package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.hca.VerbsException.Errno;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
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
  /** Calls that somebody waits for. */
  private final Set<HardwareCall<?>> pending = ConcurrentHashMap.newKeySet();
  /** Why it is closed; null while it is open. */
  private volatile String reason;

  HardwareCalls(String nodeName, HcaSettings settings, BooleanSupplier onHardwareThread, Supplier<ActorRef<HardwareMessage>> actor) {
    this.nodeName = nodeName;
    this.settings = settings;
    this.onHardwareThread = onHardwareThread;
    this.actor = actor;
  }

  boolean onHardwareThread() {
    return onHardwareThread.getAsBoolean();
  }

  // The end.

  boolean isClosed() {
    return reason != null;
  }

  VerbsException refusal() {
    return new VerbsException(Errno.ENODEV, "the HCA of " + nodeName + " is closed: " + reason);
  }

  /** What has not begun is refused from now on. Hardware thread. */
  void close(String why) {
    reason = why;
  }

  /** After {@link #close}: whoever waits for something that was not begun gets a refusal. */
  void refuseAll() {
    pending.forEach(call -> call.refuse(refusal()));
  }

  /**
   * Held by who does something to an HCA that is closed. Its actor may have stopped, so that no message leads to the hardware thread any more:
   * the caller does it.
   */
  Object afterlife() {
    return pending;
  }

  // Calls.

  private <T> HardwareCall<T> send(Supplier<T> verb) {
    HardwareCall<T> call = new HardwareCall<>(() -> {
      if (isClosed()) {
        throw refusal();
      }
      return verb.get();
    });
    pending.add(call);
    if (isClosed()) { // Whoever closes it looks at what is pending after this, or has before.
      call.refuse(refusal());
    } else {
      actor.get().tell(new HcaActor.Control(call));
    }
    return call;
  }

  <T> CompletionStage<T> later(Supplier<T> action) {
    HardwareCall<T> call = send(action);
    return call.result().whenComplete((result, failure) -> pending.remove(call));
  }

  <T> T control(Supplier<T> verb) {
    if (onHardwareThread.getAsBoolean()) {
      if (isClosed()) {
        throw refusal();
      }
      return verb.get();
    }
    HardwareCall<T> call = send(verb);
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
    } finally {
      pending.remove(call);
    }
  }

  /** A verb that gives something back, or only looks: also of an HCA that is closed. */
  <T> T giveBack(Supplier<T> verb) {
    try {
      return control(verb);
    } catch (VerbsException refused) {
      if (refused.errno() != Errno.ENODEV) {
        throw refused;
      }
      synchronized (afterlife()) {
        return verb.get();
      }
    }
  }
}
