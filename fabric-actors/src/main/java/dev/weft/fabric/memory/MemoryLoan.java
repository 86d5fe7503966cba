package dev.weft.fabric.memory;

import dev.weft.fabric.packet.Loan;
import dev.weft.fabric.packet.ReadLease;

/**
 * A loan whose end other processes of the host see too. It ends in two steps: {@link #end} on the hardware thread, after which nothing of
 * this process looks at the memory and nobody begins to; {@link #awaitReaders} then waits for processes that are reading it just now.
 */
public final class MemoryLoan implements Loan {
  private volatile boolean ended;
  /** Null as long as no other process was told of the memory. */
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

  /** The owner takes the memory back. Hardware thread. */
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
   * Waits until no process reads the memory: for one that runs, some microseconds; for one that is stopped in the middle of it, a second, and
   * then what it reads is of no use to it. To be called after {@link #end}. Any thread.
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
