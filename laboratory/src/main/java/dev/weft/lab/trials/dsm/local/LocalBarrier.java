package dev.weft.lab.trials.dsm.local;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.access.InPlace;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A barrier of the threads of this JVM. */
final class LocalBarrier implements DsmBarrier {
  private final String name;
  private final int parties;
  private final ReentrantLock guard = new ReentrantLock();
  private final Condition open = guard.newCondition();
  private int come;
  /** Number of completed meetings. */
  private long meetings;
  private boolean closed;

  LocalBarrier(String name, int parties) {
    this.name = name;
    this.parties = parties;
  }

  @Override
  public int parties() {
    return parties;
  }

  @Override
  public void await() {
    InPlace.mine().requireOutside();
    guard.lock();
    try {
      if (closed) {
        throw LocalSpace.closed();
      }
      if (++come == parties) {
        come = 0;
        meetings++;
        open.signalAll();
      } else {
        sleep(meetings);
      }
    } finally {
      guard.unlock();
    }
  }

  private void sleep(long meeting) {
    try {
      while (meetings == meeting && !closed) {
        open.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      // A thread that leaves no longer counts: otherwise the others would meet without it.
      come -= meetings == meeting ? 1 : 0;
      throw new IllegalStateException("interrupted at barrier " + name, e);
    }
    if (meetings == meeting) {
      throw LocalSpace.closed();
    }
  }

  /** Wakes waiting threads; they throw because the space is closed. */
  void close() {
    guard.lock();
    try {
      closed = true;
      open.signalAll();
    } finally {
      guard.unlock();
    }
  }
}
