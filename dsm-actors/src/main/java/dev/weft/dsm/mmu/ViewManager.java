package dev.weft.dsm.mmu;

import dev.weft.dsm.access.Rights;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The memory manager of page protection (seed 000 section 3.3): sets what applications may do with minipages, from outside, while nothing of them needs
 * to run. One lock guards it, which is nearly always free; who may not sleep tries once and is told to come again. Nobody who holds it touches memory
 * that could fault, waits for an application, or calls the protocol.
 */
public final class ViewManager {
  /** Whether a group was set. */
  public enum Outcome {
    /** All of it was. */
    DONE,
    /**
     * Not all of it was: another thread changes views now, or the kernel has no memory for it. All of it must be tried again, in process context where it is
     * to be sure.
     */
    RETRY
  }

  private final ReentrantLock lock = new ReentrantLock();
  final Residents residents;
  final long holdNs;
  private volatile long retries;

  /**
   * @param pagesMax page frames of all views together
   * @param holdNs how long a minipage stays, at least, with whom it was given to
   */
  ViewManager(long pagesMax, long holdNs) {
    this.residents = new Residents(pagesMax);
    this.holdNs = holdNs;
  }

  /**
   * Sets any minipages of an array to any rights with as few system calls as can be: neighbours go together. Never sleeps. What is lowered is in the
   * node's frame afterwards; what is raised is so for pages that applications have already, the others come when they are touched.
   *
   * @param indices of minipages, ascending
   * @param rights of each, not more than the node has
   * @throws IllegalArgumentException if these are not as many as those, or not ascending; nothing was changed
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

  /** Waits for the lock, for a moment; not in the receive context. */
  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  /** How often somebody was told to come again. */
  public long retries() {
    return retries;
  }
}
