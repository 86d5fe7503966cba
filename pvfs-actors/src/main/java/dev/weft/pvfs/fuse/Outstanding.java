package dev.weft.pvfs.fuse;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests that were read and not answered. A thread gets room for a request before it reads one; a request gives the room back when it is answered, one
 * that waits for a lock at once: otherwise locks that wait could keep the unlock out that they wait for. Any thread.
 */
final class Outstanding {
  private final ConcurrentMap<Long, Exchange> requests = new ConcurrentHashMap<>();
  private final Semaphore room;
  private final AtomicInteger waitingLocks = new AtomicInteger();
  private final int waitingLocksMax;
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

  /** The one with this number; null if it was answered, or never read. */
  Exchange find(long unique) {
    return requests.get(unique);
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
