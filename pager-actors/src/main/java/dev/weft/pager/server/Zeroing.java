package dev.weft.pager.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Zeros on their way to virtual memory whose pages are absent. Until they are there no data may move in the area: it would be
 * overwritten, or what was there before would be shown. Server's thread, but for the end of a write.
 */
final class Zeroing {
  /** Writes zeros and has its argument run at the end, on any thread. */
  @FunctionalInterface
  interface Write {
    void start(Runnable ended);
  }

  private final Consumer<Zeroing> endedLater;
  private int pending;

  /** {@code endedLater} is called on any thread when a write has ended that did not end at once; the server's then calls {@link #ended}. */
  Zeroing(Consumer<Zeroing> endedLater) {
    this.endedLater = endedLater;
  }

  void begin(Write write) {
    AtomicBoolean first = new AtomicBoolean();
    pending++;
    write.start(() -> {
      if (!first.compareAndSet(false, true)) {
        endedLater.accept(this);
      }
    });
    if (!first.compareAndSet(false, true)) {
      pending--; // It ended before this: no need to be told.
    }
  }

  void ended() {
    pending--;
  }

  boolean isPending() {
    return pending > 0;
  }
}
