package dev.weft.fabric.trunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RejectionsTest {
  @Test
  void shouldNeitherWaitForTheDriverNorKeepMoreThanItsLimit() throws Exception {
    Rejections rejections = new Rejections();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    AtomicReference<Thread> asking = new AtomicReference<>();
    rejections.add(() -> {
      asking.set(Thread.currentThread());
      begun.countDown();
      try {
        answer.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }, "the driver does not answer");
    begun.await();
    assertNotSame(Thread.currentThread(), asking.get());
    AtomicInteger asked = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(Rejections.WAITING_MAX);
    for (int i = 0; i < Rejections.WAITING_MAX + 3; i++) {
      rejections.add(() -> {
        asked.incrementAndGet();
        all.countDown();
      }, "another");
    }
    assertEquals(3, rejections.lost());
    answer.countDown();
    all.await();
    assertEquals(Rejections.WAITING_MAX, asked.get());
  }

  @Test
  void shouldGoOnAfterAFailure() throws Exception {
    Rejections rejections = new Rejections();
    rejections.add(() -> {
      throw new IllegalStateException("the client is closed");
    }, "one");
    CountDownLatch next = new CountDownLatch(1);
    rejections.add(next::countDown, "two");
    next.await();
    assertEquals(1, rejections.lost());
  }
}
