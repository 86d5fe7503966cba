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
}
