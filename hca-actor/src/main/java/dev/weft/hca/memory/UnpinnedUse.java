package dev.weft.hca.memory;

import dev.weft.hca.netvm.RedirectBuffer;

/** What one queue pair has to do with memory that is not pinned: its credit, and whether it waits for pages. Hardware thread. */
public abstract class UnpinnedUse {
  /** Credit for packets to absent pages; null without unpinned memory in its domain. */
  RedirectBuffer.Account redirect;
  /** Has something to send from an absent page. */
  boolean awaitsPage;

  /** Whether it has credit to give. */
  public final boolean hasCredit() {
    return redirect != null;
  }

  /** Packets to absent pages that there is room for. */
  public final int room() {
    return redirect.room();
  }

  public final boolean awaitsPage() {
    return awaitsPage;
  }

  /** Has {@code action} run when all data that came before is in memory; only with credit. */
  public final void afterCopies(Runnable action) {
    redirect.afterCopies(kept -> action.run());
  }

  /** There is room again for packets to absent pages. */
  protected abstract void onRoom();

  /** Pages that it waited for came or went. */
  protected abstract void onPages();
}
