package dev.weft.hca.memory;

import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.QueuePair;

/** A memory window and its binding. */
public final class Mw implements MemoryWindow {

  private final Pd pd;
  private final Type type;
  volatile int key;
  /** Its binding and, below, the region that the binding is a part of; null if the window is not bound. Hardware thread. */
  Mr binding;
  Mr region;
  /** The queue pair that a type 2 window serves. Hardware thread. */
  QueuePair queuePair;
  volatile boolean bound;
  volatile boolean deallocated;

  Mw(Pd pd, Type type, int key) {
    this.pd = pd;
    this.type = type;
    this.key = key;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public Type type() {
    return type;
  }

  @Override
  public int rkey() {
    return key;
  }

  @Override
  public int nextRkey() {
    return (key & ~0xff) | (key + 1 & 0xff);
  }

  @Override
  public boolean isBound() {
    return bound;
  }

  @Override
  public String toString() {
    return "MemoryWindow[" + type + (bound ? " bound" : "") + (deallocated ? " deallocated" : "") + "]";
  }
}
