package dev.weft.pvfs.files;

import dev.weft.pvfs.InterruptedCallException;
import java.util.concurrent.atomic.AtomicInteger;

/** Operations on an open file that may change its length. While some are under way, a close does not report the length. Any thread. */
final class Changes {
  /** A step of an operation. */
  @FunctionalInterface
  interface Step {
    void run() throws PvfsException;
  }

  private final Step check;
  /** Operations whose thread was interrupted count for good. */
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile boolean haveBegun;

  /** @param check throws if the file is closed or cannot be written */
  Changes(Step check) {
    this.check = check;
  }

  void run(Step change) throws PvfsException {
    begin();
    try {
      change.run();
    } catch (InterruptedCallException goesOn) {
      underWay.incrementAndGet();
      throw goesOn;
    } finally {
      end();
    }
  }

  /** Begins a change; {@link #end} must follow. */
  void begin() throws PvfsException {
    underWay.incrementAndGet(); // Before the check of closed: close sets and checks in the other order.
    try {
      check.run();
    } catch (PvfsException refused) {
      end();
      throw refused;
    }
    haveBegun = true;
  }

  void end() {
    underWay.decrementAndGet();
  }

  boolean areUnderWay() {
    return underWay.get() > 0;
  }

  /** Whether there was a change. */
  boolean haveBegun() {
    return haveBegun;
  }
}
