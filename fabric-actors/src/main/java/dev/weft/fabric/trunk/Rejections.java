package dev.weft.fabric.trunk;

import dev.weft.fabric.admission.SeldomLog;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Aeron to end images, on a thread of its own that lives only while there is work. A request waits for the media driver's answer, and
 * Aeron does not allow it within its callbacks. If a request is lost, nothing reads the image either, but its sender learns that only
 * later.
 */
final class Rejections {
  private static final Logger LOG = LoggerFactory.getLogger(Rejections.class);
  /** Largest number of waiting requests. Only an attacker causes more at once. */
  static final int WAITING_MAX = 256;
  private static final int IDLE_S = 10;

  private final AtomicLong lost = new AtomicLong();
  private final SeldomLog seldom = new SeldomLog();
  private final SeldomLog seldomFailed = new SeldomLog();
  private final ThreadPoolExecutor executor;

  Rejections() {
    executor = new ThreadPoolExecutor(1, 1, IDLE_S, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX),
        Thread.ofPlatform().daemon().name("weft-trunk-rejections").factory(), (_, _) -> lost.incrementAndGet());
    executor.allowCoreThreadTimeOut(true);
  }

  /**
   * Adds a request. Any thread; returns immediately.
   *
   * @param what the text for the log
   */
  void add(Runnable rejection, String what) {
    executor.execute(() -> run(rejection, what));
  }

  private void run(Runnable rejection, String what) {
    if (seldom.mayLog()) {
      LOG.warn("{}", what);
    }
    try {
      rejection.run();
    } catch (RuntimeException e) {
      lost.incrementAndGet();
      if (seldomFailed.mayLog()) {
        LOG.warn("a refused trunk could not be ended, but is not read: {} ({} so far)", e.toString(), lost.get());
      }
    }
  }

  /** Returns the number of images that Aeron could not be asked to end. Any thread. */
  long lost() {
    return lost.get();
  }
}
