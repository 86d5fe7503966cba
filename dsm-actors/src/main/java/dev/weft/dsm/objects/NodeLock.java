package dev.weft.dsm.objects;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.access.InPlace;
import dev.weft.dsm.events.LockWaitEvent;
import dev.weft.dsm.sync.LockWord;
import dev.weft.hca.node.Interrupts;
import java.time.Duration;
import java.util.Optional;

/** A lock as the threads of one node use it. */
public final class NodeLock implements DsmLock {
  private final int id;
  private final String name;
  private final LockWord word;
  private final NodeCalls calls;
  private volatile Thread holder;

  public NodeLock(int id, String name, LockWord word, NodeCalls calls) {
    this.id = id;
    this.name = name;
    this.word = word;
    this.calls = calls;
  }

  public int id() {
    return id;
  }

  public NodeCalls calls() {
    return calls;
  }

  @Override
  public Acquired acquire() {
    return tryAcquire(NodeCalls.FOREVER_NS).orElseThrow();
  }

  @Override
  public Optional<Acquired> tryAcquire(Duration max) {
    return tryAcquire(NodeCalls.nanos(max));
  }

  private Optional<Acquired> tryAcquire(long maxNs) {
    refuseIfHeld();
    InPlace.mine().requireOutside();
    calls.checkOpen();
    if (word.tryTake()) {
      return Optional.of(taken());
    }
    calls.requireRoom();
    LockWaitEvent event = new LockWaitEvent();
    event.begin();
    Wait.OfLock wait = new Wait.OfLock(id, false);
    try {
      return await(wait, maxNs);
    } finally {
      event.end();
      if (event.shouldCommit()) {
        event.lock = name;
        event.node = calls.node();
        event.acquired = wait.isServed();
        event.commit();
      }
    }
  }

  private Optional<Acquired> await(Wait.OfLock wait, long maxNs) {
    boolean inTime = false;
    try {
      inTime = calls.tellAndAwait(wait, wait, maxNs);
    } catch (IllegalStateException interrupted) {
      giveUp(wait);
      throw interrupted;
    }
    if (!inTime) {
      calls.cancel(wait);
      calls.requireOver(wait);
    }
    wait.check();
    return wait.isCancelled ? Optional.empty() : Optional.of(taken());
  }

  /**
   * Acquires the lock after a wait in which the thread may have been interrupted: a thread that waits for a condition has the lock again in any case.
   * Returns whether the last holder was lost. The next thread that acquires the lock learns that, too, because this thread may have to report another
   * error.
   */
  boolean acquireUninterrupted() {
    return Interrupts.putAside(() -> {
      boolean holderLost = acquire() == Acquired.HOLDER_LOST;
      if (holderLost) {
        word.holderWasLost();
      }
      return holderLost;
    });
  }

  /** A lock that no thread waits for any more must not be granted to a thread that does not know it. */
  private void giveUp(Wait.OfLock wait) {
    calls.cancel(wait);
    if (wait.isServed()) {
      holder = Thread.currentThread(); // The next holder will learn whether the last holder was lost.
      release();
    }
  }

  private void refuseIfHeld() {
    if (isMine()) {
      throw new IllegalStateException("this thread has the lock \"" + name + "\" already; it is not reentrant");
    }
  }

  boolean isMine() {
    return holder == Thread.currentThread();
  }

  private Acquired taken() {
    holder = Thread.currentThread();
    return word.takeHolderLost() ? Acquired.HOLDER_LOST : Acquired.RELEASED;
  }

  /** Releases the lock for a holder that has ended; the next holder learns that. */
  public void abandon() {
    requireMine();
    word.holderWasLost();
    release();
  }

  void requireMine() {
    if (!isMine()) {
      throw new IllegalStateException("this thread does not have the lock \"" + name + "\"");
    }
  }

  @Override
  public void release() {
    requireMine();
    holder = null;
    if (!word.tryRelease()) {
      calls.tellAndHelp(new Wait.OfLock(id, true));
    }
  }
}
