package dev.weft.perftest;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Blocks all threads of an actor system's dispatchers except the hardware dispatcher. Meanwhile, only hardware actors of this JVM run; the
 * control plane and the cluster do not. A hold lasts at most {@link #LONGEST_NS}; otherwise the cluster would consider this JVM dead.
 */
final class ThreadHold {
  /** Less than the pause that the cluster's failure detector accepts. */
  static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(3);

  private static final List<String> DISPATCHERS =
      List.of("akka.actor.default-dispatcher", "akka.actor.internal-dispatcher", "akka.remote.default-remote-dispatcher");
  /** Tasks for each dispatcher; more than it has threads. */
  private static final int TASKS = 64;
  private static final long GATHER_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long SETTLED_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final List<Executor> executors;
  private final Set<Thread> held = ConcurrentHashMap.newKeySet();
  private final AtomicReference<CountDownLatch> released = new AtomicReference<>(new CountDownLatch(0));

  ThreadHold(ActorSystem<?> system) {
    executors = DISPATCHERS.stream().<Executor>map(path -> system.dispatchers().lookup(DispatcherSelector.fromConfig(path))).toList();
  }

  /**
   * Blocks the threads and returns when all are blocked: tasks wait in each dispatcher, and no further task began for a while.
   *
   * @return the number of blocked threads
   * @throws IllegalStateException if some threads are still busy after a second; then none is blocked
   */
  int begin() throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    released.set(latch);
    held.clear();
    for (Executor executor : executors) {
      for (int i = 0; i < TASKS; i++) {
        executor.execute(() -> hold(latch));
      }
    }
    long nowNs = System.nanoTime();
    long endNs = nowNs + GATHER_NS;
    long sinceNs = nowNs;
    int before = -1;
    while (before < executors.size() || nowNs - sinceNs < SETTLED_NS || busy()) {
      if (nowNs - endNs > 0) {
        release();
        throw new IllegalStateException("threads of dispatchers are busy");
      }
      Thread.sleep(1);
      nowNs = System.nanoTime();
      if (held.size() != before) {
        before = held.size();
        sinceNs = nowNs;
      }
    }
    return before;
  }

  /** Whether a thread that is not blocked is busy. An idle thread stays idle, because earlier tasks already wait in its dispatcher. */
  private boolean busy() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> DISPATCHERS.stream().anyMatch(path -> thread.getName().contains(path + "-")))
        .anyMatch(thread -> !held.contains(thread) && thread.getState() == Thread.State.RUNNABLE);
  }

  private void hold(CountDownLatch latch) {
    if (latch.getCount() > 0) {
      held.add(Thread.currentThread());
    }
    await(latch);
  }

  /** Blocks the calling thread, too, until the others are released. */
  void join() {
    await(released.get());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(LONGEST_NS, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Releases the threads. Any thread. */
  void release() {
    released.get().countDown();
  }
}
