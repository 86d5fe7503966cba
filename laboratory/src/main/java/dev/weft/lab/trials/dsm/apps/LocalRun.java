package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.local.LocalSpace;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** Runs an application within this JVM. */
public final class LocalRun {
  /** For tests: actions between the phases, on the first worker, while all others wait. */
  record Between(Consumer<SharedSpace> afterPrepare, Consumer<SharedSpace> afterGather) {
    static final Between NOTHING = new Between(space -> { }, space -> { });
  }

  private record LocalWorker(int index, int count, SharedSpace space, String run) implements Worker {}

  private LocalRun() {}

  /**
   * A run and its time.
   *
   * @param seconds time of {@link Work#run} alone
   */
  public record Timed(Outcome outcome, double seconds) {}

  /** Runs one worker on the calling thread. */
  public static Outcome sequential(Application application, String size) {
    return timed(application, size).outcome();
  }

  /** The same, with its time. */
  public static Timed timed(Application application, String size) {
    try (LocalSpace space = LocalSpace.forOneThread()) {
      Work work = application.work(worker(application, 0, 1, space), size);
      work.prepare();
      long startNs = System.nanoTime();
      work.run();
      long endNs = System.nanoTime();
      work.gather();
      return new Timed(work.outcome(), (endNs - startNs) / 1e9);
    }
  }

  /**
   * Runs {@code count} workers, each on a thread of its own; returns when all have ended.
   *
   * @throws IllegalStateException if one of them failed; the cause is its exception
   */
  public static Outcome threads(Application application, String size, int count) {
    return threads(application, size, count, Between.NOTHING);
  }

  static Outcome threads(Application application, String size, int count, Between between) {
    AtomicReference<Outcome> outcome = new AtomicReference<>();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    try (LocalSpace space = LocalSpace.forThreads()) {
      Thread[] threads = new Thread[count];
      for (int i = 0; i < count; i++) {
        Worker worker = worker(application, i, count, space);
        threads[i] = Thread.ofPlatform().name(application.name() + "-" + i)
            .start(() -> tryPerform(application, size, worker, between, outcome, failed));
      }
      for (Thread thread : threads) {
        join(thread);
      }
    }
    if (failed.get() != null) {
      throw new IllegalStateException("a worker of " + application.name() + " failed", failed.get());
    }
    return outcome.get();
  }

  private static Optional<Outcome> perform(Application application, String size, Worker worker, Between between) {
    Work work = application.work(worker, size);
    DsmBarrier pause = worker.space().barrier("between", worker.count());
    boolean first = worker.index() == 0;
    work.prepare();
    pause(pause, first, between.afterPrepare(), worker.space());
    work.run();
    work.gather();
    pause(pause, first, between.afterGather(), worker.space());
    return first ? Optional.of(work.outcome()) : Optional.empty();
  }

  private static void tryPerform(Application application, String size, Worker worker, Between between, AtomicReference<Outcome> outcome,
      AtomicReference<Throwable> failed) {
    try {
      perform(application, size, worker, between).ifPresent(outcome::set);
    } catch (RuntimeException | Error e) {
      // The first failure is the cause; closing the space wakes the others, which then fail, too.
      failed.compareAndSet(null, e);
      worker.space().close();
    }
  }

  private static void pause(DsmBarrier pause, boolean first, Consumer<SharedSpace> then, SharedSpace space) {
    if (first) {
      then.accept(space);
    }
    pause.await();
  }

  private static Worker worker(Application application, int index, int count, SharedSpace space) {
    return new LocalWorker(index, count, space, application.name());
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for " + thread.getName(), e);
    }
  }
}
