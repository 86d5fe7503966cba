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

/** Runs control verbs on the hardware thread, as {@link Hca} describes. Any thread. */
public final class HardwareCalls {
  /** A control verb, for the actor of the HCA, which runs it on the hardware thread. Its caller may have taken it back; then it does nothing. */
  public record Control(HardwareCall<?> verb) implements HardwareMessage {}

  private final String nodeName;
  private final HcaSettings settings;
  private final BooleanSupplier onHardwareThread;
  private final Supplier<ActorRef<HardwareMessage>> actor;
  /** The calls that a thread or a stage waits for. */
  private final Set<HardwareCall<?>> pending = ConcurrentHashMap.newKeySet();
  /** The way of doorbells; null to send them at once. */
  private Consumer<HardwareMessage> doorbell;
  /** The reason why the HCA is closed; null while it is open. */
  private volatile String reason;

  public HardwareCalls(String nodeName, HcaSettings settings, BooleanSupplier onHardwareThread, Supplier<ActorRef<HardwareMessage>> actor) {
    this.nodeName = nodeName;
    this.settings = settings;
    this.onHardwareThread = onHardwareThread;
    this.actor = actor;
  }

  /** Sends doorbells by {@code way} instead of {@link #tell}, because the sender may still have to compute. Call it before the HCA is used. */
  public void useDoorbell(Consumer<HardwareMessage> way) {
    doorbell = way;
  }

  /** Sends a doorbell to the actor of the HCA. */
  public void ring(HardwareMessage message) {
    if (doorbell == null) {
      tell(message);
    } else {
      doorbell.accept(message);
    }
  }

  /** Sends a message to the actor of the HCA. */
  public void tell(HardwareMessage message) {
    actor.get().tell(message);
  }

  public String nodeName() {
    return nodeName;
  }

  public boolean onHardwareThread() {
    return onHardwareThread.getAsBoolean();
  }

  // Closing.

  public boolean isClosed() {
    return reason != null;
  }

  public VerbsException refusal() {
    return new VerbsException(Errno.ENODEV, "the HCA of " + nodeName + " is closed: " + reason);
  }

  /** Closes the HCA: verbs that have not begun fail from now on. Hardware thread. */
  public void close(String why) {
    reason = why;
  }

  /** Fails all waiting calls that have not begun; call it after {@link #close}. */
  public void refuseAll() {
    pending.forEach(call -> call.refuse(refusal()));
  }

  /**
   * The lock for work on a closed HCA. Its actor may have stopped, so that no message reaches the hardware thread. The calling thread then does the work
   * and holds this lock.
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
    if (isClosed()) { // The closing thread may have failed the pending calls before this one was added.
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
      throw new IllegalStateException("the HCA of " + nodeName + " could not execute the call: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new VerbsException(Errno.ETIMEDOUT, "the HCA of " + nodeName + " did not start the call within "
          + settings.controlTimeout() + " and will not execute it; its hardware thread is busy or gets too little processor time");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerbsException(Errno.EINTR, "interrupted before the HCA of " + nodeName + " started the call; it will not execute it");
    } finally {
      pending.remove(call);
    }
  }

  /** Runs a verb that releases a resource or only reads state. It also works on a closed HCA. */
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
