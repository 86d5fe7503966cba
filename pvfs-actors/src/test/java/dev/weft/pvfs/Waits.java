package dev.weft.pvfs;

import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import dev.weft.hca.node.LocalFabric;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What tests wait for. Unlike {@code Fabric.await}, the waiting thread does nothing of the hardware's work, so conditions may ask actors. */
public final class Waits {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private Waits() {}

  /** Looks again and again; {@code what} says what was waited for, and how it is, when that was in vain. */
  public static void await(BooleanSupplier condition, Supplier<String> what) {
    dev.weft.fabric.rules.Waits.until("what holds in the end", condition::getAsBoolean, what::get);
  }

  /** The state that an actor says it has. */
  public static <S> S ask(LocalFabric fabric, Consumer<ActorRef<S>> inspect) {
    TestProbe<S> probe = TestProbe.create(fabric.system());
    inspect.accept(probe.getRef());
    S state = probe.receiveMessage(PATIENCE);
    probe.stop();
    return state;
  }
}
