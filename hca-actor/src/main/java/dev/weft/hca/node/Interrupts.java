package dev.weft.hca.node;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Lets a thread finish an action in spite of interrupts. Any thread. */
public final class Interrupts {
  private static final ScopedValue<Aside> ASIDE = ScopedValue.newInstance();

  private static final class Aside {
    boolean hasCome = Thread.interrupted();
  }

  private Interrupts() {}

  /** Runs an action that no interrupt ends, whether it came earlier or comes during the action. Afterwards, interrupts the thread again. */
  public static <T, X extends Throwable> T putAside(ScopedValue.CallableOp<? extends T, X> action) throws X {
    Aside aside = new Aside();
    try {
      return ScopedValue.where(ASIDE, aside).<T, X>call(action);
    } finally {
      if (aside.hasCome) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Like {@link Fabric#await(BooleanSupplier, Duration)}, but no interrupt ends the wait. */
  public static boolean awaitToTheEnd(Fabric fabric, BooleanSupplier until, Duration max) {
    return putAside(() -> {
      boolean has = fabric.await(until, max);
      while (!has && isToGoOn()) {
        has = fabric.await(until, max);
      }
      return has;
    });
  }

  /** Whether a wait that an interrupt has ended must continue, because {@link #putAside} is deferring interrupts. */
  public static boolean isToGoOn() {
    boolean goesOn = ASIDE.isBound() && Thread.interrupted();
    if (goesOn) {
      ASIDE.get().hasCome = true;
    }
    return goesOn;
  }
}
