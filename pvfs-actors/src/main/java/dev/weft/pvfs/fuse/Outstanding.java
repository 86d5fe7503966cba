package dev.weft.pvfs.fuse;

import java.util.LinkedHashSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests that were read and not answered. A thread gets room for a request before it reads one; a request gives the room back when it is answered, one
 * that waits for a lock at once: otherwise locks that wait could keep the unlock out that they wait for. Any thread.
 */
final class Outstanding {
  /** Interrupts that are kept: at most one for each thread matters, the others are of requests that were answered. */
  private static final int EARLY_MAX = 256;

  private final ConcurrentMap<Long, Exchange> requests = new ConcurrentHashMap<>();
  private final Semaphore room;
  private final AtomicInteger waitingLocks = new AtomicInteger();
  private final int waitingLocksMax;
  /** Interrupts of requests that were not there, the oldest first. */
  private final LinkedHashSet<Long> early = new LinkedHashSet<>();
  private volatile boolean hasEarly;
  /** Threads that have room for a request, and wait for one. */
  private final AtomicInteger readers = new AtomicInteger();

  Outstanding(int inFlightMax, int waitingLocksMax) {
    room = new Semaphore(inFlightMax);
    this.waitingLocksMax = waitingLocksMax;
  }

  void acquire() throws InterruptedException {
    room.acquire();
  }

  void release() {
    room.release();
  }

  /** A thread begins to wait for a request, or has one now. */
  void reads(boolean begins) {
    readers.addAndGet(begins ? 1 : -1);
  }

  int readers() {
    return readers.get();
  }

  void add(Exchange exchange) {
    requests.put(exchange.unique(), exchange);
    if (hasEarly && takeEarly(exchange.unique())) {
      exchange.interrupt();
    }
  }

  private boolean takeEarly(long unique) {
    synchronized (early) {
      boolean was = early.remove(unique);
      hasEarly = !early.isEmpty();
      return was;
    }
  }

  /** The request waits for a lock, from here on; false if as many as may do. */
  boolean startWaiting(Exchange exchange) {
    int count = waitingLocks.get();
    while (count < waitingLocksMax && !waitingLocks.compareAndSet(count, count + 1)) {
      count = waitingLocks.get();
    }
    if (count >= waitingLocksMax) {
      return false;
    }
    exchange.setWaitingLock();
    room.release();
    return true;
  }

  /** The kernel has its answer. */
  void remove(Exchange exchange) {
    requests.remove(exchange.unique(), exchange);
    if (exchange.isWaitingLock()) {
      waitingLocks.decrementAndGet();
    } else {
      room.release();
    }
  }

  /**
   * The one with this number was interrupted: now, or when it is added, for another thread may have read it and not have come so far. The kernel tells it
   * once: to be asked again it wants an answer at the descriptor that has the request, which may be another thread's.
   */
  void interrupt(long unique) {
    Exchange meant = requests.get(unique);
    if (meant == null) {
      note(unique);
      meant = requests.get(unique);
      meant = meant != null && takeEarly(unique) ? meant : null;
    }
    if (meant != null) {
      meant.interrupt();
    }
  }

  private void note(long unique) {
    synchronized (early) {
      if (early.size() >= EARLY_MAX) {
        early.removeFirst(); // Of one that was answered meanwhile.
      }
      early.add(unique);
      hasEarly = true;
    }
  }

  int count() {
    return requests.size();
  }

  int waitingLocks() {
    return waitingLocks.get();
  }

  /** Answers all of them with an error. */
  void abort(int errno) {
    requests.values().forEach(exchange -> exchange.abort(errno));
  }
}
