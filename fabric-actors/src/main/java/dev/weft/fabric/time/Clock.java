package dev.weft.fabric.time;

/** Where the time comes from. Real: monotonic nanoseconds of the machine. Virtual: the simulation's. Any thread. */
@FunctionalInterface
public interface Clock {
  /** Monotonic time in nanoseconds; only differences have a meaning. */
  long nowNs();
}
