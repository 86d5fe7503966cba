package dev.weft.pager.client;

import dev.weft.fabric.time.Marks;
import dev.weft.pager.PagerMark;
import dev.weft.pager.memory.RegionAllocator;
import java.util.ArrayDeque;

/**
 * The registered pool. It allocates ranges by first fit, merges freed ranges, and calls waiting callers in FIFO order when there is room (HPBD section
 * 4.3.2). Thread safe; callbacks run on the thread that frees, outside the lock, one at a time.
 *
 * <p>While callers wait, no other caller gets a range of the pool, except that each woken caller may try once. So short requests cannot starve a long
 * one.
 *
 * <p>In addition to the pool there are shares: ranges of a fixed length that belong to one consumer each. A consumer uses its share first, so that other
 * consumers that keep their buffers cannot block it.
 */
final class RegistrationPool {
  static final int GRANULE_BYTES = 1024;

  /** A waiting caller; compared by identity. */
  private static final class Waiter {
    final Share share;
    final int lengthBytes;
    final Runnable whenAvailable;

    Waiter(Share share, int lengthBytes, Runnable whenAvailable) {
      this.share = share;
      this.lengthBytes = lengthBytes;
      this.whenAvailable = whenAvailable;
    }
  }

  /** The range that is reserved for one consumer. The pool's lock guards its state. */
  final class Share implements AutoCloseable {
    private final int number;
    private final RegionAllocator own = new RegionAllocator(shareBytes, GRANULE_BYTES);
    private Waiter waiter;
    /** Whether it was woken because the pool has room for it, and has not tried again. */
    private boolean hasTurn;

    private Share(int number) {
      this.number = number;
    }

    /** Allocates from this share, otherwise from the pool, like the pool's method. */
    long allocate(int lengthBytes, Runnable whenAvailable) {
      return RegistrationPool.this.allocate(this, lengthBytes, whenAvailable);
    }

    private long start() {
      return allocator.sizeBytes() + (long) number * shareBytes;
    }

    /** Closes the share and removes its waiting caller; all its own ranges must be free. */
    @Override
    public void close() {
      synchronized (RegistrationPool.this) {
        if (shares[number] != this) {
          return;
        }
        if (own.freeBytes() != shareBytes) {
          throw new IllegalStateException("share " + number + " is closed with " + (shareBytes - own.freeBytes()) + " bytes on loan");
        }
        if (waiter != null) {
          waiters.remove(waiter);
          waiter = null;
        }
        endTurn(this);
        shares[number] = null;
        sharesTaken--;
      }
      wake();
    }
  }

  private final RegionAllocator allocator;
  private final int shareBytes;
  private final Share[] shares;
  private final int waitersMax;
  private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
  /** The number of callers without a share that were woken and have not tried again. */
  private int woken;
  /** The number of callers with a share that were woken and have not tried again. */
  private int turns;
  private boolean waking;
  private long waits;
  private int sharesTaken;

  RegistrationPool(long sizeBytes, int waitersMax) {
    this(sizeBytes, 0, 0, waitersMax);
  }

  /** Creates a pool of {@code sizeBytes}, followed by {@code sharesMax} shares of {@code shareBytes}. */
  RegistrationPool(long sizeBytes, int sharesMax, int shareBytes, int waitersMax) {
    this.allocator = new RegionAllocator(sizeBytes, GRANULE_BYTES);
    this.shareBytes = shareBytes;
    this.shares = new Share[sharesMax];
    this.waitersMax = waitersMax;
  }

  /** Returns a share, or null if all are in use. */
  synchronized Share share() {
    for (int i = 0; i < shares.length; i++) {
      if (shares[i] == null) {
        shares[i] = new Share(i);
        sharesTaken++;
        return shares[i];
      }
    }
    return null;
  }

  /**
   * Returns the start of a range, or {@link RegionAllocator#NONE} if there is no room. Then {@code whenAvailable}, if not null, runs once when another
   * try may succeed.
   *
   * @throws IllegalStateException if too many callers wait
   */
  long allocate(int lengthBytes, Runnable whenAvailable) {
    return allocate(null, lengthBytes, whenAvailable);
  }

  private long allocate(Share share, int lengthBytes, Runnable whenAvailable) {
    long start;
    synchronized (this) {
      start = share == null ? RegionAllocator.NONE : ofOwn(share, lengthBytes);
      boolean mayTry = waiters.isEmpty() || (share == null ? woken > 0 : share.hasTurn);
      if (start == RegionAllocator.NONE && mayTry) {
        start = allocator.allocate(lengthBytes);
      }
      if (share != null) {
        endTurn(share);
      } else if (woken > 0) {
        woken--;
      }
      if (start == RegionAllocator.NONE && whenAvailable != null) {
        addWaiter(new Waiter(share, lengthBytes, whenAvailable));
      }
    }
    wake();
    return start;
  }

  private static long ofOwn(Share share, int lengthBytes) {
    long start = lengthBytes <= share.own.sizeBytes() && share.own.fits(lengthBytes) ? share.own.allocate(lengthBytes) : RegionAllocator.NONE;
    return start == RegionAllocator.NONE ? start : share.start() + start;
  }

  private void endTurn(Share share) {
    if (share.hasTurn) {
      share.hasTurn = false;
      turns--;
    }
  }

  private void addWaiter(Waiter waiter) {
    if (waiters.size() >= waitersMax) {
      throw new IllegalStateException(waitersMax + " callers wait for a buffer already; raise weft.pager.client.waiters-max");
    }
    waits++;
    Marks.hit(PagerMark.POOL_WAITS);
    waiters.add(waiter);
    if (waiter.share != null) {
      waiter.share.waiter = waiter;
    }
  }

  void free(long start, int lengthBytes) {
    Waiter owner = null;
    synchronized (this) {
      if (start < allocator.sizeBytes()) {
        allocator.free(start, lengthBytes);
      } else {
        Share share = shares[(int) ((start - allocator.sizeBytes()) / shareBytes)];
        share.own.free(start - share.start(), lengthBytes);
        if (share.waiter != null && share.waiter.lengthBytes <= shareBytes && share.own.fits(share.waiter.lengthBytes)) {
          owner = share.waiter;
          share.waiter = null;
          waiters.remove(owner);
        }
      }
    }
    if (owner != null) {
      owner.whenAvailable.run();
    }
    wake();
  }

  /** Wakes callers in order while there is room for the first. Callbacks may allocate and free; that does not recurse into this method. */
  private void wake() {
    synchronized (this) {
      if (waking) {
        return;
      }
      waking = true;
    }
    while (true) {
      Waiter next;
      synchronized (this) {
        next = waiters.peek();
        if (next == null || woken + turns > 0 || !allocator.fits(next.lengthBytes)) {
          waking = false;
          return;
        }
        waiters.poll();
        if (next.share == null) {
          woken++;
        } else {
          next.share.waiter = null;
          next.share.hasTurn = true;
          turns++;
        }
      }
      next.whenAvailable.run();
    }
  }

  /** Returns a snapshot for inspection. */
  synchronized PoolSnapshot snapshot() {
    long ofShares = 0;
    for (Share share : shares) {
      ofShares += share == null ? 0 : shareBytes - share.own.freeBytes();
    }
    return new PoolSnapshot(allocator.sizeBytes(), allocator.sizeBytes() - allocator.freeBytes(), allocator.freeBytes(),
        allocator.largestFreeBytes(), allocator.fragments(), waiters.size(), waits, shares.length, sharesTaken, ofShares);
  }
}
