package dev.weft.dsm.sync;

import java.util.concurrent.atomic.AtomicInteger;

/** The state of a lock at a node. Threads take and release the lock by it, without a message, while no other node or thread wants it. Any thread. */
public class LockWord {
  /** The lock is at another node, or at its home. */
  static final int AWAY = 0;
  /** The lock is here, and no thread has it. */
  static final int FREE = 1;
  /** A thread of this node has the lock. */
  static final int HELD = 2;
  /** As {@link #HELD}, and others want the lock: a release must notify the node. */
  static final int WANTED = 3;

  private final AtomicInteger state = new AtomicInteger(AWAY);
  private boolean holderLost;

  /** Takes the lock if it is here and free. */
  public boolean tryTake() {
    return state.compareAndSet(FREE, HELD);
  }

  /** Releases the lock if no other wants it; if this returns false, the caller must notify the node. */
  public boolean tryRelease() {
    return state.compareAndSet(HELD, FREE);
  }

  int get() {
    return state.get();
  }

  /** Takes the lock away even from a holder; returns the state before. */
  int takeAway() {
    return state.getAndSet(AWAY);
  }

  void set(int value) {
    state.set(value);
  }

  boolean change(int from, int to) {
    return state.compareAndSet(from, to);
  }

  /** Records that the last holder's node was lost, for the thread that acquires the lock next. */
  public void holderWasLost() {
    holderLost = true;
  }

  /** Whether the last holder's node was lost; true only once. Called by the thread that has the lock. */
  public boolean takeHolderLost() {
    boolean was = holderLost;
    holderLost = false;
    return was;
  }
}
