package dev.weft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits of tests for what other threads or processes do. */
public final class Waits {
  private static final int LOOK_MS = 20;

  private Waits() {}

  /** Looks now and then whether a condition holds; fails after so many seconds and says what it waited for. */
  public static void await(String what, int seconds, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "waited " + seconds + " s for " + what);
      Thread.sleep(LOOK_MS);
    }
  }
}
