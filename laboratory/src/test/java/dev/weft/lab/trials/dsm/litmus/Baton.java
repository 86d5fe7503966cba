package dev.weft.lab.trials.dsm.litmus;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Threads of which one runs at a time; a seed says which one goes on at each step. */
final class Baton implements AtOnce {
  /** A thread goes on for so many steps on average. */
  private static final int STAYS = 4;

  private final SplittableRandom random;
  private final List<Thread> waiting = new ArrayList<>();
  private volatile Thread holder;
  private Throwable failure;

  Baton(long seed) {
    random = new SplittableRandom(seed);
  }

  @Override
  public void run(List<Runnable> bodies) {
    List<Thread> threads = bodies.stream().map(body -> Thread.ofPlatform().daemon().unstarted(() -> hold(body))).toList();
    waiting.addAll(threads);
    threads.forEach(Thread::start);
    pass();
    threads.forEach(Baton::join);
    switch (failure) {
      case null -> { }
      case RuntimeException e -> throw e;
      default -> throw new AssertionError(failure);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void hold(Runnable body) {
    awaitTurn();
    try {
      if (failure == null) {
        body.run();
      }
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
    }
    pass();
  }

  private void awaitTurn() {
    while (holder != Thread.currentThread()) {
      LockSupport.park(this);
    }
  }

  /** Only the holder calls this, and the first thread before there is one. */
  private void pass() {
    if (!waiting.isEmpty()) {
      Thread next = waiting.remove(random.nextInt(waiting.size()));
      holder = next;
      LockSupport.unpark(next);
    }
  }

  /** Lets another thread go on, or more often the same: some accesses in a row of one thread, where another has stopped, show most. */
  void step() {
    if (failure != null) {
      throw new IllegalStateException("another thread failed");
    }
    if (!waiting.isEmpty() && random.nextInt(STAYS) == 0) {
      waiting.add(Thread.currentThread());
      pass();
      awaitTurn();
    }
  }
}
