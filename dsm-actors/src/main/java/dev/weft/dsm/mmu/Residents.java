package dev.weft.dsm.mmu;

import java.util.Iterator;
import java.util.LinkedHashSet;

/** Minipages that have page frames in views, in the order of their arrival, and the number of their frames. Under the manager's lock. */
final class Residents {
  private record Resident(MappedArray array, int index) {}

  private final long pagesMax;
  private final LinkedHashSet<Resident> all = new LinkedHashSet<>();
  private long pages;
  private long evictions;

  Residents(long pagesMax) {
    this.pagesMax = pagesMax;
  }

  /** Makes room for a minipage by dropping the oldest ones, and adds it. */
  void add(MappedArray array, int index) {
    long wanted = array.pages(index);
    while (pages + wanted > pagesMax) {
      Iterator<Resident> oldest = all.iterator();
      Resident goes = oldest.next();
      if (!goes.array.drop(goes.index, goes.index)) {
        break; // The kernel lacks memory to take it; the bound holds again with the next minipage.
      }
      evictions++;
    }
    all.add(new Resident(array, index));
    pages += wanted;
  }

  void remove(MappedArray array, int index) {
    if (all.remove(new Resident(array, index))) {
      pages -= array.pages(index);
    }
  }

  long pages() {
    return pages;
  }

  long evictions() {
    return evictions;
  }
}
