package dev.weft.hca.control;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.HardwareCall;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Brings control verbs to the hardware thread, as {@link Hca} describes. Any thread. */
public final class HardwareCalls {
  /** Told to the actor of the HCA: {@code verb} runs on the hardware thread. */
  public record Control(Runnable verb) implements HardwareMessage {}

  private final String nodeName;
  private final HcaSettings settings;
  private final BooleanSupplier onHardwareThread;
  private final Supplier<ActorRef<HardwareMessage>> actor;
  /** Calls that somebody waits for. */
  private final Set<HardwareCall<?>> pending = ConcurrentHashMap.newKeySet();
  /** Null to tell at once. */
  private Consumer<HardwareMessage> doorbell;
  /** Why it is closed; null while it is open. */
  private volatile String reason;

  public HardwareCalls(String nodeName, HcaSettings settings, BooleanSupplier onHardwareThread, Supplier<ActorRef<HardwareMessage>> actor) {
    this.nodeName = nodeName;
    this.settings = settings;
    this.onHardwareThread = onHardwareThread;
    this.actor = actor;
  }

  /** Doorbells go through this instead of {@link #tell}: whoever rings may have to compute first. Before the HCA is used. */
  public void useDoorbell(Consumer<HardwareMessage> way) {
    doorbell = way;
  }

  /** A doorbell, to the actor of the HCA. */
  public void ring(HardwareMessage message) {
    if (doorbell == null) {
      tell(message);
    } else {
      doorbell.accept(message);
    }
  }

  /** To the actor of the HCA. */
  public void tell(HardwareMessage message) {
    actor.get().tell(message);
  }

  public String nodeName() {
    return nodeName;
  }

  public boolean onHardwareThread() {
    return onHardwareThread.getAsBoolean();
  }

  // The end.

  public boolean isClosed() {
    return reason != null;
  }

  public VerbsException refusal() {
    return new VerbsException(Errno.ENODEV, "the HCA of " + nodeName + " is closed: " + reason);
  }

  /** What has not begun is refused from now on. Hardware thread. */
  public void close(String why) {
    reason = why;
  }

  /** After {@link #close}: whoever waits for something that was not begun gets a refusal. */
  public void refuseAll() {
    pending.forEach(call -> call.refuse(refusal()));
  }

  /**
   * Held by who does something to an HCA that is closed. Its actor may have stopped, so that no message leads to the hardware thread any more:
   * the caller does it.
   */
  public Object afterlife() {
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
      actor.get().tell(new Control(call));
    }
    return call;
  }

  public <T> CompletionStage<T> later(Supplier<T> action) {
    HardwareCall<T> call = send(action);
    return call.result().whenComplete((result, failure) -> pending.remove(call));
  }

  public <T> T control(Supplier<T> verb) {
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
  public <T> T giveBack(Supplier<T> verb) {
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
