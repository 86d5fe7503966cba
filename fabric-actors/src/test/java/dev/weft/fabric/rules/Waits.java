package dev.weft.fabric.rules;

import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * How tests wait for a state that needs time to be reached: they look again and again until it is there. Unlike {@code Fabric.await} the thread does
 * nothing of the hardware's work, so conditions may ask actors. A wait that is in vain fails with the state that it saw last; so does one that the time limit
 * of its test ends.
 */
public final class Waits {
  /** A machine at load 10 needs 60 s for steps that take it 6 s at rest. Only a test that fails waits so long. */
  public static final int PATIENCE_S = 180;
  /** The same where each look takes seconds itself. */
  private static final int PATIENCE_SELDOM_S = 300;
  private static final int LOOK_MS = 10;
  private static final int LOOK_SELDOM_MS = 500;

  private Waits() {}

  /** What is waited for; an exception ends the wait. */
  @FunctionalInterface
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** Reads a state; an exception ends the wait. */
  @FunctionalInterface
  public interface Look<T> {
    T see() throws Exception;
  }

  /** Waits until a condition holds. */
  public static void until(String what, Condition condition) {
    until(what, condition, null);
  }

  /** The same; {@code state}, unless it is null, is read when the wait has failed, for the message. */
  public static void until(String what, Condition condition, Look<?> state) {
    until(what, PATIENCE_S, condition, state);
  }

  /** The same with a limit of its own, for what may take longer than {@link #PATIENCE_S}. */
  public static void until(String what, int seconds, Condition condition, Look<?> state) {
    wait(what, seconds, LOOK_MS, condition::holds, holds -> holds, state);
  }

  /** Waits until a state is as wanted, and returns it. */
  public static <T> T seen(String what, Look<T> look, Predicate<? super T> isWanted) {
    return wait(what, PATIENCE_S, LOOK_MS, look, isWanted, null);
  }

  /** The same where a look is dear, as where it starts a JVM. */
  public static <T> T seenSeldom(String what, Look<T> look, Predicate<? super T> isWanted) {
    return wait(what, PATIENCE_SELDOM_S, LOOK_SELDOM_MS, look, isWanted, null);
  }

  private static <T> T wait(String what, int seconds, int everyMs, Look<T> look, Predicate<? super T> isWanted, Look<?> state) {
    long startNs = System.nanoTime();
    T last = null;
    try {
      while (true) {
        last = look.see();
        if (isWanted.test(last)) {
          return last;
        }
        if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(seconds)) {
          throw new AssertionError("waited " + seconds + " s for " + what + "; last seen: " + describe(state, last));
        }
        Thread.sleep(everyMs);
      }
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted after " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs) + " s of waiting for " + what
          + "; last seen: " + describe(state, last), e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError("waiting for " + what + " failed", e);
    }
  }

  private static Object describe(Look<?> state, Object last) {
    try {
      return state == null ? last : state.see();
    } catch (Exception unreadable) {
      return unreadable;
    }
  }
}
