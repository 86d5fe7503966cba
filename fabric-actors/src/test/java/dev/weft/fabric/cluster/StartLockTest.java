package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class StartLockTest {
  @TempDir private Path parent;

  @Test
  void shouldSayWhereThereIsNoRoom() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(parent.resolve("small"), 1)) {
      StartLock.acquire(small.path().resolve("driver"), 0).close();
      small.fill();
      String text = assertThrows(IOException.class, () -> StartLock.acquire(small.path().resolve("driver"), 0)).getMessage();
      assertTrue(text.startsWith(StartLock.file(small.path().resolve("driver")) + " cannot be written: No space left on device; make room there"), text);
    }
  }

  @Test
  void shouldBeHeldByOneAtATime() throws Exception {
    Path directory = parent.resolve("driver");
    try (StartLock lock = StartLock.acquire(directory, 0)) {
      assertNull(StartLock.tryAcquire(directory));
      assertThrows(IllegalStateException.class, () -> StartLock.acquire(directory, 20));
      long before = StartLock.lastVisit(directory);
      lock.recordVisit();
      assertNotEquals(before, StartLock.lastVisit(directory));
    }
    StartLock.tryAcquire(directory).close();
  }

  /** The file is removed by each holder while others wait for it. */
  @Test
  void shouldBeHeldByOneAtATimeWhereItsFileIsRemoved() throws Exception {
    Path directory = parent.resolve("driver");
    AtomicInteger holders = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(Thread.ofPlatform().start(() -> {
        for (int round = 0; round < 50; round++) {
          try (StartLock lock = StartLock.acquire(directory, 20_000)) {
            most.accumulateAndGet(holders.incrementAndGet(), Math::max);
            Thread.yield();
            holders.decrementAndGet();
            lock.remove();
            rounds.incrementAndGet();
          } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(200, rounds.get());
    assertEquals(1, most.get());
  }
}
