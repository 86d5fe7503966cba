package dev.weft.fabric.dispatch;

/** A source of work that must be polled, such as an Aeron subscription or a ring in shared memory. */
@FunctionalInterface
public interface Poller {
  /**
   * Looks for work once and handles a bounded amount of it. Every duty cycle calls this on the hardware thread; it must not
   * block.
   *
   * @return how many pieces of work it handled; 0 lets the dispatcher go idle
   */
  int poll();

  /**
   * Whether everything that {@link #poll} looks for rings the bell of this JVM ({@link Bell}), so that the dispatcher may sleep up to
   * {@code park-rung}. Called on the hardware thread after a poll that found nothing.
   */
  default boolean isRung() {
    return false;
  }
}
