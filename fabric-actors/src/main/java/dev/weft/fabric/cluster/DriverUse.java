package dev.weft.fabric.cluster;

/**
 * Decides whether a media driver is still needed: while it has clients, and for some time afterwards. It is also needed while a JVM that
 * attaches to it may not have connected yet, which takes long on busy processors. Decision logic only; times are nanoseconds. Not
 * thread-safe.
 */
final class DriverUse {
  private final long unusedMaxNs;
  private final long connectMaxNs;
  private long lastUsedNs;
  private long lastVisit;
  private long visitNs;
  private int clientsAtVisit;
  private boolean isExpected;

  /**
   * Describes a driver that a JVM has just started.
   *
   * @param unusedMaxNs how long the driver lives without clients
   * @param connectMaxNs how long a JVM may take from its visit until it has connected
   * @param visit value of {@link StartLock#lastVisit} at the last visit
   */
  DriverUse(long unusedMaxNs, long connectMaxNs, long visit, long nowNs) {
    this.unusedMaxNs = unusedMaxNs;
    this.connectMaxNs = connectMaxNs;
    this.lastVisit = visit;
    this.visitNs = nowNs;
    this.lastUsedNs = nowNs;
    this.isExpected = true;
  }

  /** Whether the driver may end; call it periodically. */
  boolean isOver(long nowNs, int clients, long visit) {
    if (visit != lastVisit) {
      lastVisit = visit;
      visitNs = nowNs;
      lastUsedNs = nowNs;
      clientsAtVisit = clients;
      isExpected = true;
    }
    if (clients > 0) {
      lastUsedNs = nowNs;
    }
    if (clients > clientsAtVisit || nowNs - visitNs > connectMaxNs) {
      isExpected = false;
    }
    return !isExpected && nowNs - lastUsedNs > unusedMaxNs;
  }
}
