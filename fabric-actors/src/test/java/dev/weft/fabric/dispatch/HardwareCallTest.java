package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class HardwareCallTest {
  private static final Duration SHORT = Duration.ofMillis(1);
  private static final Duration LONG = Duration.ofSeconds(15);

  private final AtomicInteger runs = new AtomicInteger();

  @Test
  void shouldBringTheResult() throws Exception {
    HardwareCall<Integer> call = new HardwareCall<>(runs::incrementAndGet);
    Thread.ofPlatform().start(call);
    assertEquals(1, call.await(LONG));
  }

  @Test
  void shouldBringWhatTheWorkHasThrown() {
    IllegalStateException thrown = new IllegalStateException("no");
    HardwareCall<Integer> call = new HardwareCall<>(() -> {
      throw thrown;
    });
    call.run();
    assertSame(thrown, assertThrows(ExecutionException.class, () -> call.await(LONG)).getCause());
  }

  @Test
  void shouldNotRunAfterItWasWaitedForInVain() {
    HardwareCall<Integer> call = new HardwareCall<>(runs::incrementAndGet);
    assertThrows(TimeoutException.class, () -> call.await(SHORT));
    call.run();
    assertEquals(0, runs.get());
  }

  @Test
  void shouldNotRunAfterTheWaiterWasInterrupted() {
    HardwareCall<Integer> call = new HardwareCall<>(runs::incrementAndGet);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedException.class, () -> call.await(LONG));
    call.run();
    assertEquals(0, runs.get());
  }

  /** The work begins, then the waiter runs out of time or is interrupted, then the work ends: it counts. */
  @Test
  void shouldWaitForWhatHasBegun() throws Exception {
    for (boolean interrupt : new boolean[] {false, true}) {
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Thread waiter = Thread.currentThread();
      HardwareCall<Integer> call = new HardwareCall<>(() -> {
        begun.countDown();
        awaitQuietly(go);
        return runs.incrementAndGet();
      });
      Thread.ofPlatform().start(call);
      begun.await();
      Thread.ofPlatform().start(() -> {
        if (interrupt) {
          waiter.interrupt();
        }
        untilBlockedIn(waiter, "join");
        go.countDown();
      });
      assertEquals(interrupt ? 2 : 1, call.await(interrupt ? LONG : SHORT));
      assertEquals(interrupt, Thread.interrupted(), "the interrupt is kept");
    }
  }

  private static void untilBlockedIn(Thread thread, String method) {
    while (java.util.Arrays.stream(thread.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals(method))) {
      Thread.yield();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
