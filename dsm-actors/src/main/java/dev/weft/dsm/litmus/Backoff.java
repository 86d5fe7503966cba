package dev.weft.dsm.litmus;

/** What a thread does between two looks at a word that it waits for. */
@FunctionalInterface
public interface Backoff {
  /** Looks after which {@link #yielding} lets others run. */
  int SPINS = 64;

  /**
   * Lets others go on. Any thread.
   *
   * @param attempt looks so far, from 1
   */
  void pause(int attempt);

  /** Spins some times, then gives the processor away each time. For platform threads. */
  static Backoff yielding() {
    return attempt -> {
      if (attempt <= SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    };
  }
}
