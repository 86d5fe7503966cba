package dev.weft.fabric.dispatch;

import dev.weft.fabric.dispatch.HardwareDispatcher.DeferredWake;

/** The {@link HardwareDispatcher#deferWake} scopes of each thread. */
final class WakeDeferral {
  private static final class Depth {
    int scopes;
  }

  private final ThreadLocal<Depth> depth = ThreadLocal.withInitial(Depth::new);
  private final DeferredWake scope = this::end;
  private final Runnable wake;

  /** A thread runs {@code wake} when it leaves its outermost scope. */
  WakeDeferral(Runnable wake) {
    this.wake = wake;
  }

  DeferredWake begin() {
    depth.get().scopes++;
    return scope;
  }

  /** Whether the calling thread is in a scope. */
  boolean isActive() {
    return depth.get().scopes > 0;
  }

  private void end() {
    Depth mine = depth.get();
    if (mine.scopes == 0) {
      throw new IllegalStateException("this thread is in no deferWake() scope, or closed it twice");
    }
    if (--mine.scopes == 0) {
      wake.run();
    }
  }
}
