package dev.weft.lab.hosts;

import java.util.ArrayList;
import java.util.List;

/** Load for real time: daemon threads of this JVM that compute until closed. */
public final class ThreadLoad implements CpuLoad {
  private static final int THREADS_MAX = 1024;
  private static final int ROUNDS_PER_LOOK = 1 << 14;

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopping;
  private volatile long result;

  private ThreadLoad() {}

  /** Starts {@code count} threads, 0 to 1024; one per processor occupies the machine. */
  public static ThreadLoad start(int count) {
    if (count < 0 || count > THREADS_MAX) {
      throw new IllegalArgumentException("load is " + count + " threads, must be from 0 to " + THREADS_MAX);
    }
    ThreadLoad load = new ThreadLoad();
    for (int i = 0; i < count; i++) {
      load.threads.add(Thread.ofPlatform().daemon().name("weft-load-" + i).start(load::compute));
    }
    return load;
  }

  /** A thread for each processor of this machine. */
  public static ThreadLoad onePerProcessor() {
    return start(Runtime.getRuntime().availableProcessors());
  }

  /** Threads that compute now. */
  public int running() {
    return (int) threads.stream().filter(Thread::isAlive).count();
  }

  private void compute() {
    long x = 88_172_645_463_325_252L;
    while (!stopping) {
      for (int i = 0; i < ROUNDS_PER_LOOK; i++) {
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
      }
      result = x;
    }
  }

  /** What was computed; read so that nothing may leave the computing out. */
  long result() {
    return result;
  }

  /** Ends the threads and waits for that. */
  @Override
  public void close() {
    stopping = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
