package dev.weft.hca.node;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Interrupts of a thread that has something to do to the end. Any thread. */
public final class Interrupts {
  private static final ScopedValue<Aside> ASIDE = ScopedValue.newInstance();

  private static final class Aside {
    boolean hasCome = Thread.interrupted();
  }

  private Interrupts() {}

  /** Does something that no interrupt ends, neither one from before nor one that comes meanwhile; afterwards the thread is interrupted again. */
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

  /** As {@link Fabric#await(BooleanSupplier, Duration)}, and no interrupt ends it. */
  public static boolean awaitToTheEnd(Fabric fabric, BooleanSupplier until, Duration max) {
    return putAside(() -> {
      boolean has = fabric.await(until, max);
      while (!has && isToGoOn()) {
        has = fabric.await(until, max);
      }
      return has;
    });
  }

  /** Of a wait that was ended by an interrupt: true if it has to go on, because interrupts are put aside. */
  public static boolean isToGoOn() {
    boolean goesOn = ASIDE.isBound() && Thread.interrupted();
    if (goesOn) {
      ASIDE.get().hasCome = true;
    }
    return goesOn;
  }
}
