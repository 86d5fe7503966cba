package dev.weft.pvfs.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Waits;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LateBellTest {
  @Test
  void shouldRingAgainForWhoAsksWhileItRings() throws InterruptedException {
    CountDownLatch rings = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicInteger count = new AtomicInteger();
    try (LateBell bell = new LateBell(() -> {
      count.incrementAndGet();
      rings.countDown();
      awaitTo(goesOn);
    }, 1_000_000)) {
      bell.want();
      rings.await();
      bell.want();
      bell.want();
      assertEquals(1, count.get());
      goesOn.countDown();
      Waits.await(() -> count.get() == 2, () -> "the second ring; " + count);
    }
  }

  private static void awaitTo(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldEndItsThread() {
    AtomicReference<Thread> thread = new AtomicReference<>();
    LateBell once = new LateBell(() -> thread.set(Thread.currentThread()), 0);
    once.want();
    Waits.await(() -> thread.get() != null, () -> "the first ring");
    assertTrue(thread.get().isDaemon());
    once.close();
    Waits.await(() -> !thread.get().isAlive(), () -> "its thread to end");
  }
}
