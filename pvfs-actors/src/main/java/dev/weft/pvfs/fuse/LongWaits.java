package dev.weft.pvfs.fuse;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for operations that may wait long, if otherwise no thread would read requests. Each waiting one keeps a buffer and a place of its request.
 * Their number leaves half of both to others. Any thread.
 */
final class LongWaits {
  private static final long IDLE_S = 10;

  private final ThreadPoolExecutor threads;

  LongWaits(FuseOptions options) {
    int most = Math.max(1, Math.min(options.buffersMax, options.inFlightMax - options.threads) / 2);
    threads = new ThreadPoolExecutor(0, most, IDLE_S, TimeUnit.SECONDS, new SynchronousQueue<>(),
        Thread.ofPlatform().daemon().name("fuse-" + options.name + "-waits-", 1).factory());
  }

  /** Returns false if the maximum number waits; nothing was run then. */
  boolean begin(Runnable task) {
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** Accepts no more tasks; waits so long for the running ones. */
  void end(long ms) throws InterruptedException {
    threads.shutdown();
    threads.awaitTermination(ms, TimeUnit.MILLISECONDS);
  }
}
