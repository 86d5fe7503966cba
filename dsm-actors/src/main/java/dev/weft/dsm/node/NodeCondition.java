package dev.weft.dsm.node;

import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.StackRoom;
import java.time.Duration;

/** A condition, for the threads of one node. */
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
    StackRoom.require();
    Waits.OfCondition wait = new Waits.OfCondition(id);
    space.tellAndAwait(wait, wait.registered, DsmNode.FOREVER_NS);
    wait.registered.check();
    lock.release();
    boolean holderLost;
    try {
      boolean inTime = false;
      try {
        inTime = space.awaitTold(wait, maxNs);
      } finally {
        if (!inTime) {
          space.cancel(wait);
        }
      }
      wait.check();
    } finally {
      holderLost = lock.acquireUninterrupted();
    }
    if (holderLost) {
      throw new NodeLostException("a node was lost that had the lock of " + this + ": what it protects may be half done");
    }
    return !wait.isCancelled;
  }

  @Override
  public void signal() {
    lock.requireMine();
    space.tell(new DsmNodeActor.Signal(id, false));
  }

  @Override
  public void signalAll() {
    lock.requireMine();
    space.tell(new DsmNodeActor.Signal(id, true));
  }

  @Override
  public String toString() {
    return "condition \"" + name + "\"";
  }
}
