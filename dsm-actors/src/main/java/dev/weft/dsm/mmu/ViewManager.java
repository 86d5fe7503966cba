package dev.weft.dsm.mmu;

import dev.weft.dsm.access.Rights;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory manager of page protection (Kernel DSM, section 3.3): sets the applications' rights to minipages from outside, without running their
 * code. One lock guards it, which is nearly always free. A thread that may not sleep tries the lock once and must come back if it fails. The holder
 * of the lock never touches memory that could fault, waits for an application, or calls the protocol.
 */
public final class ViewManager {
  /** Whether a group was set. */
  public enum Outcome {
    /** The whole group was set. */
    DONE,
    /**
     * The group was not completely set: another thread changes views, or the kernel lacks memory. The caller must try the whole group again; only
     * process context makes sure that it succeeds.
     */
    RETRY
  }

  private final ReentrantLock lock = new ReentrantLock();
  final Residents residents;
  final long holdNs;
  private volatile long retries;

  /**
   * @param pagesMax page frames of all views together
   * @param holdNs how long a minipage stays, at least, with the application that got it
   */
  ViewManager(long pagesMax, long holdNs) {
    this.residents = new Residents(pagesMax);
    this.holdNs = holdNs;
  }

  /**
   * Sets any minipages of an array to any rights with the fewest system calls: neighbours go together. Never sleeps. Lowered minipages are in the
   * node's frame afterwards. Rights are raised for pages that applications have already; other pages come when they are touched.
   *
   * @param indices indices of the minipages, ascending
   * @param rights rights of each minipage, not more than the node has
   * @throws IllegalArgumentException if the arrays differ in length, or the indices do not ascend; nothing was changed
   */
  public Outcome protect(MappedArray array, int[] indices, byte[] rights) {
    check(array, indices, rights);
    if (!tryLock()) {
      return Outcome.RETRY;
    }
    try {
      int from = 0;
      while (from < indices.length) {
        int to = from;
        while (to + 1 < indices.length && indices[to + 1] == indices[to] + 1 && rights[to + 1] == rights[from]
            && array.isLike(indices[from], indices[to + 1])) {
          to++;
        }
        if (!array.set(indices[from], indices[to], rights[from])) {
          return Outcome.RETRY;
        }
        from = to + 1;
      }
      return Outcome.DONE;
    } finally {
      lock.unlock();
    }
  }

  private static void check(MappedArray array, int[] indices, byte[] rights) {
    if (indices.length != rights.length) {
      throw new IllegalArgumentException(indices.length + " minipages and " + rights.length + " rights, must be as many");
    }
    for (int i = 0; i < indices.length; i++) {
      if (indices[i] < 0 || indices[i] >= array.layout().minipages() || i > 0 && indices[i] <= indices[i - 1]) {
        throw new IllegalArgumentException("minipage " + indices[i] + " at " + i + ", must be from 0 to " + (array.layout().minipages() - 1)
            + " and ascending");
      }
      if (rights[i] < Rights.NONE || rights[i] > Rights.WRITE) {
        throw new IllegalArgumentException("rights " + rights[i] + " at " + i + ", must be from 0 to 2");
      }
    }
  }

  /** Takes the lock if it is free. */
  boolean tryLock() {
    if (lock.tryLock()) {
      return true;
    }
    retries++;
    return false;
  }

  /** Waits a short time for the lock; not in the receive context. */
  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** How often a thread had to come back. */
  public long retries() {
    return retries;
  }
}
