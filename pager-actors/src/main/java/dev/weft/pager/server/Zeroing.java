package dev.weft.pager.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Tracks the zeroing of virtual memory whose pages are absent. Until it has ended, no data may be transferred in the area: the zeros would overwrite it,
 * or a reader would see the old contents. Used on the server's thread, except for the end of a write.
 */
final class Zeroing {
  /** Writes zeros and runs its argument at the end, on any thread. */
  @FunctionalInterface
  interface Write {
    void start(Runnable ended);
  }

  private final Consumer<Zeroing> endedLater;
  private int pending;

  /** {@code endedLater} is called on any thread when a write ends that has not ended at once; then the server's thread calls {@link #ended}. */
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
      pending--; // The write has already ended, so no call of endedLater is needed.
    }
  }

  void ended() {
    pending--;
  }

  boolean isPending() {
    return pending > 0;
  }
}
