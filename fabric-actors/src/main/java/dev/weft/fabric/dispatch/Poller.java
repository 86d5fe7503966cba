package dev.weft.fabric.dispatch;

/** Work that is found by looking: an Aeron subscription, a ring in shared memory. */
@FunctionalInterface
public interface Poller {
  /**
   * Looks once and handles a bounded amount of what is there. Called in every duty cycle on the hardware thread; may not
   * block.
   *
   * @return how many things were handled; 0 lets the dispatcher go idle
   */
  int poll();

  /**
   * Whether everything that {@link #poll} looks for rings the bell of this JVM ({@link Bell}), so that the dispatcher may sleep for
   * long. Asked on the hardware thread, after a look that found nothing.
   */
  default boolean isRung() {
    return false;
  }
}
