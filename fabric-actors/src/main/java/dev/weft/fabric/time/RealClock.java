package dev.weft.fabric.time;

/** The machine's monotonic clock. The only place of the fabric that reads it, besides the hardware dispatcher. */
public enum RealClock implements Clock {
  /** The one instance. */
  INSTANCE;

  @Override
  public long nowNs() {
    return System.nanoTime();
  }
}
