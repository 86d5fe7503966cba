package dev.weft.pager.client;

import dev.weft.fabric.time.Marks;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.RegionAllocator;
import java.util.ArrayDeque;

/**
 * The registered pool: ranges by first fit, merged when freed, and a FIFO of callers to be told when there is room (seed
 * 001 section 4.3.2). Thread safe; callbacks run on the thread that frees, outside the lock, one at a time.
 *
 * <p>While callers wait, nobody else gets a range, except that each caller woken may try once; so a long request is not
 * starved by short ones.
 */
final class RegistrationPool {
  static final int GRANULE_BYTES = 1024;

  private record Waiter(int lengthBytes, Runnable whenAvailable) {}

  private final RegionAllocator allocator;
  private final int waitersMax;
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  /** Callers that were woken and have not tried again. */
  private int woken;
  private boolean waking;
  private long waits;

  RegistrationPool(long sizeBytes, int waitersMax) {
    this.allocator = new RegionAllocator(sizeBytes, GRANULE_BYTES);
    this.waitersMax = waitersMax;
  }

  /**
   * Start of a range, or {@link RegionAllocator#NONE}; then {@code whenAvailable}, if not null, runs once when trying again
   * is worth while.
   *
   * @throws IllegalStateException if too many wait
   */
  long allocate(int lengthBytes, Runnable whenAvailable) {
    long start;
    synchronized (this) {
      boolean mayTry = waiters.isEmpty() || woken > 0;
      start = mayTry ? allocator.allocate(lengthBytes) : RegionAllocator.NONE;
      if (woken > 0) {
        woken--;
      }
      if (start == RegionAllocator.NONE && whenAvailable != null) {
        addWaiter(lengthBytes, whenAvailable);
      }
    }
    wake();
    return start;
  }

  private void addWaiter(int lengthBytes, Runnable whenAvailable) {
    if (waiters.size() >= waitersMax) {
      throw new IllegalStateException(waitersMax + " callers wait for a buffer already; see weft.pager.client.waiters-max");
    }
    waits++;
    Marks.hit(PagerMark.POOL_WAITS);
    waiters.add(new Waiter(lengthBytes, whenAvailable));
  }

  void free(long start, int lengthBytes) {
    synchronized (this) {
      allocator.free(start, lengthBytes);
    }
    wake();
  }

  /** Wakes callers in order while there is room for the first. A callback may allocate and free; it does not recurse. */
  private void wake() {
    synchronized (this) {
      if (waking) {
        return;
      }
      waking = true;
    }
    while (true) {
      Runnable next;
      synchronized (this) {
        Waiter first = waiters.peek();
        if (first == null || woken > 0 || !allocator.fits(first.lengthBytes())) {
          waking = false;
          return;
        }
        waiters.poll();
        woken++;
        next = first.whenAvailable();
      }
      next.run();
    }
  }

  /** Snapshot for inspection. */
  synchronized PoolSnapshot snapshot() {
    return new PoolSnapshot(allocator.sizeBytes(), allocator.sizeBytes() - allocator.freeBytes(), allocator.freeBytes(),
        allocator.largestFreeBytes(), allocator.fragments(), waiters.size(), waits);
  }
}
