package dev.weft.lab.trials.dsm.litmus;

/** The pause of a thread between two looks at a word that it waits for. */
@FunctionalInterface
public interface Backoff {
  /** Number of looks after which {@link #yielding} lets other threads run. */
  int SPINS = 64;

  /**
   * Lets other threads run. Any thread.
   *
   * @param attempt looks so far, from 1
   */
  void pause(int attempt);

  /** Spins some times, then yields the processor each time. For platform threads. */
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
