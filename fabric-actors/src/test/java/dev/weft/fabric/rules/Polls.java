package dev.weft.fabric.rules;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Looks again and again for what comes. Unlike {@code Fabric.await} the thread does nothing of the hardware's work, so conditions may ask actors. */
public final class Polls {
  private Polls() {}

  /** Whether the condition held within that time; looks each millisecond. */
  public static boolean until(BooleanSupplier condition, Duration max) {
    long startNs = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - startNs > max.toNanos()) {
        return false;
      }
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        throw new AssertionError("interrupted while it looked again and again", e);
      }
    }
    return true;
  }
}
