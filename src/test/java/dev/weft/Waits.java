package dev.weft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits of tests for what other threads or processes do. */
public final class Waits {
  private static final int LOOK_MS = 20;
  private static final int LOOK_SELDOM_MS = 1_000;

  private Waits() {}

  /** Looks now and then whether a condition holds; fails after so many seconds and says what it waited for. */
  public static void await(String what, int seconds, BooleanSupplier condition) throws InterruptedException {
    await(what, seconds, LOOK_MS, condition);
  }

  /** The same where to look is dear, as where it starts a JVM. */
  public static void awaitSeldom(String what, int seconds, BooleanSupplier condition) throws InterruptedException {
    await(what, seconds, LOOK_SELDOM_MS, condition);
  }

  private static void await(String what, int seconds, int everyMs, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "waited " + seconds + " s for " + what);
      Thread.sleep(everyMs);
    }
  }
}
