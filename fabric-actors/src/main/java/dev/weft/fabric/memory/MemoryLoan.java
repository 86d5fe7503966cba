package dev.weft.fabric.memory;

import dev.weft.fabric.packet.Loan;
import dev.weft.fabric.packet.ReadLease;

/**
 * A loan whose end other processes of the host see, too. It ends in two steps. First, the owner calls {@link #end} on the hardware thread.
 * Afterwards, this process does not access the memory any more, and no process begins to. Then {@link #awaitReaders} waits for processes that
 * are reading it.
 */
public final class MemoryLoan implements Loan {
  private volatile boolean ended;
  /** Null as long as no other process knows of the memory. */
  private volatile SharedLease lease;

  @Override
  public boolean isEnded() {
    return ended;
  }

  @Override
  public ReadLease lease() {
    SharedLease now = lease;
    if (now == null) {
      now = new SharedLease();
      lease = now;
    }
    return now;
  }

  /** Takes the memory back. Hardware thread. */
  public void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (lease != null) {
      lease.revoke();
    }
  }

  /**
   * Waits until no process reads the memory. Call it after {@link #end}. The wait takes some microseconds. If a reader is stopped in the middle
   * of a copy, it takes one second; the reader then discards what it has copied. Any thread.
   */
  public void awaitReaders() {
    SharedLease now = lease;
    lease = null;
    if (now != null) {
      now.awaitReaders();
      now.close();
    }
  }
}
