package dev.weft.hca.node;

import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ReceiveContexts;

/** A poll loop in virtual time. It polls only when a completion has arrived, because polls in between would find nothing. */
abstract class WatchLoop implements ReceiveContexts.PollLoop {
  private final CompletionQueue cq;
  private final Runnable work;
  private boolean active;
  private boolean looking;

  WatchLoop(CompletionQueue cq, Runnable work) {
    this.cq = cq;
    this.work = work;
    cq.watch(this::look);
  }

  /** Runs {@code found} when the polling consumer has found the completion. */
  abstract void poll(Runnable found);

  final boolean isActive() {
    return active;
  }

  final boolean hasNothing() {
    return cq.size() == 0;
  }

  @Override
  public void start() {
    active = true;
    look();
  }

  private void look() {
    if (active && !looking && cq.size() > 0) {
      looking = true;
      poll(this::found);
    }
  }

  private void found() {
    looking = false;
    if (active && cq.size() > 0) {
      work.run();
      look();
    }
  }

  @Override
  public void stop() {
    active = false;
  }

  @Override
  public final void close() {
    stop();
    cq.watch(null);
  }
}
