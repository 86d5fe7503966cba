package dev.weft.fabric.time;

/** The source of time: monotonic nanoseconds of the machine in real time, of the simulation in virtual time. Any thread. */
@FunctionalInterface
public interface Clock {
  /** Returns monotonic time in nanoseconds; only differences have a meaning. */
  long nowNs();
}
