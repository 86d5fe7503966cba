package dev.weft.fabric.dispatch;

/**
 * Detects from the duration of a thread's last yield whether other threads want its processor. While they do, spinning takes time from
 * the threads that would bring work, so the thread yields after a few empty cycles. Yielding alone is not enough: a fair scheduler gives
 * a thread that only yields as much time as the threads that compute.
 *
 * <p>Belongs to one thread at a time.
 */
final class Crowding {
  /** If a yield takes longer, another thread ran. */
  private static final long CROWDED_YIELD_NS = 1_500;

  /** Empty cycles before a yield on a crowded processor; enough for a packet that is on its way from another processor. */
  private static final int CROWDED_SPIN_CYCLES = 4;

  private final int spinCycles;
  private boolean crowded;

  Crowding(int spinCycles) {
    this.spinCycles = spinCycles;
  }

  /** Returns how many empty cycles to spin before the next yield. */
  int spinCycles() {
    return crowded ? Math.min(spinCycles, CROWDED_SPIN_CYCLES) : spinCycles;
  }

  /** Yields. Returns whether another thread used the processor. */
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
