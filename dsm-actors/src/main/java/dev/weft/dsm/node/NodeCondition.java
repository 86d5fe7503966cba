package dev.weft.dsm.node;

import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.NodeLostException;
import java.time.Duration;

/** A condition as the threads of one node use it. */
final class NodeCondition implements DsmCondition {
  private final int id;
  private final String name;
  private final NodeLock lock;
  private final DsmNode space;

  NodeCondition(int id, String name, NodeLock lock, DsmNode space) {
    this.id = id;
    this.name = name;
    this.lock = lock;
    this.space = space;
  }

  @Override
  public void await() {
    await(DsmNode.FOREVER_NS);
  }

  @Override
  public boolean await(Duration max) {
    return await(DsmNode.nanos(max));
  }

  /** The home knows that this thread waits before the lock is released, so no signal is missed. */
  private boolean await(long maxNs) {
    lock.requireMine();
    space.requireRoom();
    Waits.OfCondition wait = new Waits.OfCondition(id);
    long endNs = space.nowNs() + maxNs;
    if (!isRegistered(wait, maxNs)) {
      return !wait.isCancelled;
    }
    lock.release();
    boolean holderLost;
    boolean isTold = false;
    try {
      boolean inTime = false;
      try {
        inTime = space.awaitTold(wait, Math.max(0, endNs - space.nowNs()));
      } finally {
        if (!inTime) {
          space.cancel(wait);
        }
      }
      space.requireOver(wait);
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
  private boolean isRegistered(Waits.OfCondition wait, long maxNs) {
    boolean inTime;
    try {
      inTime = space.tellAndAwait(wait, wait.registered, maxNs);
    } catch (IllegalStateException interrupted) {
      space.cancel(wait);
      passOn(wait);
      throw interrupted;
    }
    if (inTime) {
      wait.registered.check();
    } else {
      space.cancel(wait);
      space.requireOver(wait);
      wait.check();
    }
    return inTime;
  }

  /** A thread that gets both a signal and an error passes the signal on to another waiting thread. */
  private void passOn(Waits.OfCondition wait) {
    if (wait.isOver() && !wait.isCancelled && !wait.hasFailed()) {
      space.tell(new NodeCommand.Signal(id, false));
    }
  }

  @Override
  public void signal() {
    lock.requireMine();
    space.tell(new NodeCommand.Signal(id, false));
  }

  @Override
  public void signalAll() {
    lock.requireMine();
    space.tell(new NodeCommand.Signal(id, true));
  }

  @Override
  public String toString() {
    return "condition \"" + name + "\"";
  }
}
