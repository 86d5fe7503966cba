package dev.weft.dsm.objects;

import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.NodeLostException;
import java.time.Duration;

/** A condition as the threads of one node use it. */
public final class NodeCondition implements DsmCondition {
  private final int id;
  private final String name;
  private final NodeLock lock;
  private final NodeCalls calls;

  public NodeCondition(int id, String name, NodeLock lock, NodeCalls calls) {
    this.id = id;
    this.name = name;
    this.lock = lock;
    this.calls = calls;
  }

  @Override
  public void await() {
    await(NodeCalls.FOREVER_NS);
  }

  @Override
  public boolean await(Duration max) {
    return await(NodeCalls.nanos(max));
  }

  /** The home knows that this thread waits before the lock is released, so no signal is missed. */
  private boolean await(long maxNs) {
    lock.requireMine();
    calls.requireRoom();
    Wait.OfCondition wait = new Wait.OfCondition(id);
    long endNs = calls.nowNs() + maxNs;
    if (!isRegistered(wait, maxNs)) {
      return !wait.isCancelled;
    }
    lock.release();
    boolean holderLost;
    boolean isTold = false;
    try {
      boolean inTime = false;
      try {
        inTime = calls.awaitTold(wait, Math.max(0, endNs - calls.nowNs()));
      } finally {
        if (!inTime) {
          calls.cancel(wait);
        }
      }
      calls.requireOver(wait);
      wait.check();
      isTold = true;
    } finally {
      holderLost = lock.acquireUninterrupted();
      if (!isTold) {
        passOn(wait);
      }
    }
    if (holderLost) {
      throw new NodeLostException("a node was lost that had the lock of " + this + ": what it protects may be half done");
    }
    return !wait.isCancelled;
  }

  /** False on timeout; the thread does not wait then, and still has the lock. */
  private boolean isRegistered(Wait.OfCondition wait, long maxNs) {
    boolean inTime;
    try {
      inTime = calls.tellAndAwait(wait, wait.registered, maxNs);
    } catch (IllegalStateException interrupted) {
      calls.cancel(wait);
      passOn(wait);
      throw interrupted;
    }
    if (inTime) {
      wait.registered.check();
    } else {
      calls.cancel(wait);
      calls.requireOver(wait);
      wait.check();
    }
    return inTime;
  }

  /** A thread that gets both a signal and an error passes the signal on to another waiting thread. */
  private void passOn(Wait.OfCondition wait) {
    if (wait.isOver() && !wait.isCancelled && !wait.hasFailed()) {
      calls.tell(new NodeCommand.Signal(id, false));
    }
  }

  @Override
  public void signal() {
    lock.requireMine();
    calls.tell(new NodeCommand.Signal(id, false));
  }

  @Override
  public void signalAll() {
    lock.requireMine();
    calls.tell(new NodeCommand.Signal(id, true));
  }

  @Override
  public String toString() {
    return "condition \"" + name + "\"";
  }
}
