package dev.weft.fabric.admission;

import dev.weft.fabric.time.RealClock;
import java.util.concurrent.atomic.AtomicLong;

/** Limits log entries to one in ten seconds, so that programs that reach a port cannot fill the log. Any thread. */
public final class SeldomLog {
  private static final long APART_NS = 10_000_000_000L;

  private final AtomicLong loggedNs = new AtomicLong(RealClock.INSTANCE.nowNs() - APART_NS);

  /** Returns whether the caller may write an entry now. If so, the caller must write it. */
  public boolean mayLog() {
    return mayLog(RealClock.INSTANCE.nowNs());
  }

  boolean mayLog(long nowNs) {
    long last = loggedNs.get();
    return nowNs - last >= APART_NS && loggedNs.compareAndSet(last, nowNs);
  }
}
