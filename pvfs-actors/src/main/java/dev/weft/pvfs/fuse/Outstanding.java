package dev.weft.pvfs.fuse;

import java.util.LinkedHashSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests that were read and not answered. A thread reserves a place before it reads a request; an answer frees the place. A request that waits for
 * a lock frees it at once: otherwise waiting locks could keep out the unlock that they wait for. Any thread.
 */
final class Outstanding {
  /** Maximum number of early interrupts. At most one for each thread matters; the others belong to answered requests. */
  private static final int EARLY_MAX = 256;

  private final ConcurrentMap<Long, Exchange> requests = new ConcurrentHashMap<>();
  private final Semaphore room;
  private final AtomicInteger waitingLocks = new AtomicInteger();
  private final int waitingLocksMax;
  /** Interrupts of requests that were not there yet, the oldest first. */
  private final LinkedHashSet<Long> early = new LinkedHashSet<>();
  private volatile boolean hasEarly;
  /** Threads that have a place for a request, and wait for one. */
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

  /** A thread begins to wait for a request, or has received one. */
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

  /** The request waits for a lock from now on; returns false if the maximum number waits. */
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
   * Interrupts the request with this number, now or when it is added: another thread may have read it and not added it yet. The kernel interrupts
   * only once; a repetition would need an answer at the descriptor that has the request, which may belong to another thread.
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
        early.removeFirst(); // It belongs to a request that was answered meanwhile.
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

  /** Answers all requests with an error. */
  void abort(int errno) {
    requests.values().forEach(exchange -> exchange.abort(errno));
  }
}
