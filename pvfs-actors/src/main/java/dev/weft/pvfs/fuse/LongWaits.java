package dev.weft.pvfs.fuse;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for what may wait for long, where otherwise no thread would read requests. Each that waits keeps a buffer, and room, of its request: there are so
 * few of them that half of both is left for others. Any thread.
 */
final class LongWaits {
  private static final long IDLE_S = 10;

  private final ThreadPoolExecutor threads;

  LongWaits(FuseOptions options) {
    int most = Math.max(1, Math.min(options.buffersMax, options.inFlightMax - options.threads) / 2);
    threads = new ThreadPoolExecutor(0, most, IDLE_S, TimeUnit.SECONDS, new SynchronousQueue<>(),
        Thread.ofPlatform().daemon().name("fuse-" + options.name + "-waits-", 1).factory());
  }

  /** False if as many wait as may; nothing was run then. */
  boolean begin(Runnable task) {
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** Nothing begins any more; what is under way has that much time. */
  void end(long ms) throws InterruptedException {
    threads.shutdown();
    threads.awaitTermination(ms, TimeUnit.MILLISECONDS);
  }
}
