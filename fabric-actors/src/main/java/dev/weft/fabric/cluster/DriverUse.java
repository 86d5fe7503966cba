package dev.weft.fabric.cluster;

/**
 * Whether a media driver is still wanted: it is while it has clients, and for some time after; and while a JVM that has come for it may
 * not have connected yet, which takes long where the processors are busy. Decision logic; times in nanoseconds. Not thread safe.
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
   * A driver that has just been started, for somebody.
   *
   * @param unusedMaxNs how long it lives without clients
   * @param connectMaxNs how long a JVM may take from its visit until it has connected
   * @param visit mark of the last visit, {@link StartLock#lastVisit}
   */
  DriverUse(long unusedMaxNs, long connectMaxNs, long visit, long nowNs) {
    this.unusedMaxNs = unusedMaxNs;
    this.connectMaxNs = connectMaxNs;
    this.lastVisit = visit;
    this.visitNs = nowNs;
    this.lastUsedNs = nowNs;
    this.isExpected = true;
  }

  /** Whether it may end; to be asked again and again. */
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
