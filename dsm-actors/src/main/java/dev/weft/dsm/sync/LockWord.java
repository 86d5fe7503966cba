package dev.weft.dsm.sync;

import java.util.concurrent.atomic.AtomicInteger;

/** Where a lock is, for the threads of a node: they take and release it without a message while nobody else wants it. Any thread. */
public class LockWord {
  /** At another node, or at its home. */
  static final int AWAY = 0;
  /** Here, and nobody has it. */
  static final int FREE = 1;
  /** A thread of this node has it. */
  static final int HELD = 2;
  /** The same, and others want it: who releases it must tell. */
  static final int WANTED = 3;

  private final AtomicInteger state = new AtomicInteger(AWAY);
  private boolean holderLost;

  /** Takes it if it is here and free. */
  public boolean tryTake() {
    return state.compareAndSet(FREE, HELD);
  }

  /** Releases it if nobody wants it; otherwise the node must be told. */
  public boolean tryRelease() {
    return state.compareAndSet(HELD, FREE);
  }

  int get() {
    return state.get();
  }

  /** Takes it from whoever has it; answers where it was. */
  int takeAway() {
    return state.getAndSet(AWAY);
  }

  void set(int value) {
    state.set(value);
  }

  boolean change(int from, int to) {
    return state.compareAndSet(from, to);
  }

  /** The node that had it before was lost; said to the thread that gets it first. */
  public void holderWasLost() {
    holderLost = true;
  }

  /** Whether the node that had it before was lost; once. Called by who has it. */
  public boolean takeHolderLost() {
    boolean was = holderLost;
    holderLost = false;
    return was;
  }
}
