package dev.weft.fabric.dispatch;

/**
 * Whether others want the processor on which a thread looks for work, as its last yield told. While they do, spinning takes time from
 * those who would bring the work, and so the thread yields after a few empty cycles. Yielding alone is not enough: a fair scheduler
 * runs a thread that only yields for as long as those that compute.
 *
 * <p>Belongs to one thread at a time.
 */
final class Crowding {
  /** A yield that took longer ran somebody else. */
  private static final long CROWDED_YIELD_NS = 1_500;

  /** Empty cycles before a yield on a crowded processor; enough for a packet that is on its way from the other one. */
  private static final int CROWDED_SPIN_CYCLES = 4;

  private final int spinCycles;
  private boolean crowded;

  Crowding(int spinCycles) {
    this.spinCycles = spinCycles;
  }

  /** Empty cycles to spin before the next yield. */
  int spinCycles() {
    return crowded ? Math.min(spinCycles, CROWDED_SPIN_CYCLES) : spinCycles;
  }

  /** Yields; whether somebody else had use for the processor. */
  boolean yieldProcessor() {
    long beforeNs = System.nanoTime();
    Thread.yield();
    return yielded(System.nanoTime() - beforeNs);
  }

  boolean yielded(long tookNs) {
    crowded = tookNs > CROWDED_YIELD_NS;
    return crowded;
  }
}
