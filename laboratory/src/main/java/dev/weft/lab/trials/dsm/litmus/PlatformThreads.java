package dev.weft.lab.trials.dsm.litmus;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Runs each body on a platform thread. */
public final class PlatformThreads implements AtOnce {
  private final String name;

  /**
   * Threads with names.
   *
   * @param name prefix of their names; numbers follow
   */
  public PlatformThreads(String name) {
    this.name = name;
  }

  /**
   * As {@link AtOnce#run}.
   *
   * @throws IllegalStateException if this thread was interrupted; the bodies are interrupted then, and awaited
   */
  @Override
  public void run(List<Runnable> bodies) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      Runnable body = bodies.get(i);
      threads.add(Thread.ofPlatform().name(name + i).daemon().unstarted(() -> guard(body, failure, threads)));
    }
    threads.forEach(Thread::start);
    boolean interrupted = false;
    for (Thread thread : threads) {
      interrupted |= join(thread, threads);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    switch (failure.get()) {
      case null -> {
        if (interrupted) {
          throw new IllegalStateException("interrupted while threads ran");
        }
      }
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  private static void guard(Runnable body, AtomicReference<Throwable> failure, List<Thread> threads) {
    try {
      body.run();
    } catch (Throwable e) {
      if (failure.compareAndSet(null, e)) {
        interruptOthers(threads);
      }
    }
  }

  /** A thread that is not started yet finds itself interrupted when it starts. */
  private static void interruptOthers(List<Thread> threads) {
    threads.stream().filter(thread -> thread != Thread.currentThread()).forEach(Thread::interrupt);
  }

  private static boolean join(Thread thread, List<Thread> threads) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        return interrupted;
      } catch (InterruptedException _) {
        interrupted = true;
        threads.forEach(Thread::interrupt);
      }
    }
  }
}
