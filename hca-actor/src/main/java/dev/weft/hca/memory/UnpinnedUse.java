package dev.weft.hca.memory;

import dev.weft.hca.netvm.RedirectBuffer;

/** The state of one queue pair for unpinned memory: its credit, and whether it waits for pages. Hardware thread. */
public abstract class UnpinnedUse {
  /** The account for packets to absent pages; null if its domains have no unpinned memory. */
  RedirectBuffer.Account redirect;
  /** Whether the queue pair has data to send from an absent page. */
  boolean awaitsPage;

  /** Whether the queue pair gives credit to its peer. */
  public final boolean hasCredit() {
    return redirect != null;
  }

  /** The number of packets to absent pages for which there is room. */
  public final int room() {
    return redirect.room();
  }

  public final boolean awaitsPage() {
    return awaitsPage;
  }

  /** Runs {@code action} when all earlier data is in memory; only for a queue pair with credit. */
  public final void afterCopies(Runnable action) {
    redirect.afterCopies(kept -> action.run());
  }

  /** Called when there is room again for packets to absent pages. */
  protected abstract void onRoom();

  /** Called when pages for which it waits have become present or were unmapped. */
  protected abstract void onPages();
}
