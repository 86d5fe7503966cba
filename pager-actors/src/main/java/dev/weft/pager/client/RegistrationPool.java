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
 *
 * <p>Behind the pool lie shares: ranges of a fixed length that belong to one consumer each. It takes from its own first, so that those who hold
 * what is there for all, and do not give it back, cannot stop it.
 */
final class RegistrationPool {
  static final int GRANULE_BYTES = 1024;

  /** Who waits; told apart by identity. */
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

  /** What one consumer has for itself. Its state belongs to the pool. */
  final class Share implements AutoCloseable {
    private final int number;
    private final RegionAllocator own = new RegionAllocator(shareBytes, GRANULE_BYTES);
    private Waiter waiter;
    /** It was woken because there is room for it in the pool, and has not tried again. */
    private boolean hasTurn;

    private Share(int number) {
      this.number = number;
    }

    /** As the pool's. */
    long allocate(int lengthBytes, Runnable whenAvailable) {
      return RegistrationPool.this.allocate(this, lengthBytes, whenAvailable);
    }

    private long start() {
      return allocator.sizeBytes() + (long) number * shareBytes;
    }

    /** Leaves the line. All ranges have been freed. */
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
  /** Callers without a share that were woken and have not tried again. */
  private int woken;
  /** The same of those with one. */
  private int turns;
  private boolean waking;
  private long waits;
  private int sharesTaken;

  RegistrationPool(long sizeBytes, int waitersMax) {
    this(sizeBytes, 0, 0, waitersMax);
  }

  /** A pool of {@code sizeBytes}, behind which {@code sharesMax} shares of {@code shareBytes} lie. */
  RegistrationPool(long sizeBytes, int sharesMax, int shareBytes, int waitersMax) {
    this.allocator = new RegionAllocator(sizeBytes, GRANULE_BYTES);
    this.shareBytes = shareBytes;
    this.shares = new Share[sharesMax];
    this.waitersMax = waitersMax;
  }

  /** A share, or null if all are taken. */
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
   * Start of a range, or {@link RegionAllocator#NONE}; then {@code whenAvailable}, if not null, runs once when trying again
   * is worth while.
   *
   * @throws IllegalStateException if too many wait
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
      throw new IllegalStateException(waitersMax + " callers wait for a buffer already; see weft.pager.client.waiters-max");
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

  /** Wakes callers in order while there is room for the first. A callback may allocate and free; it does not recurse. */
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

  /** Snapshot for inspection. */
  synchronized PoolSnapshot snapshot() {
    long ofShares = 0;
    for (Share share : shares) {
      ofShares += share == null ? 0 : shareBytes - share.own.freeBytes();
    }
    return new PoolSnapshot(allocator.sizeBytes(), allocator.sizeBytes() - allocator.freeBytes(), allocator.freeBytes(),
        allocator.largestFreeBytes(), allocator.fragments(), waiters.size(), waits, shares.length, sharesTaken, ofShares);
  }
}
