package dev.weft.fabric.admission;

import dev.weft.fabric.time.RealClock;
import java.util.concurrent.atomic.AtomicLong;

/** Once in a while only: whoever reaches a port could fill the log. Any thread. */
public final class SeldomLog {
  private static final long APART_NS = 10_000_000_000L;

  private final AtomicLong loggedNs = new AtomicLong(RealClock.INSTANCE.nowNs() - APART_NS);

  /** Whether it is time for another line; then the caller writes it. */
  public boolean mayLog() {
    return mayLog(RealClock.INSTANCE.nowNs());
  }

  boolean mayLog(long nowNs) {
    long last = loggedNs.get();
    return nowNs - last >= APART_NS && loggedNs.compareAndSet(last, nowNs);
  }
}
