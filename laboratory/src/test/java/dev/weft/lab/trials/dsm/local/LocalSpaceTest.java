package dev.weft.lab.trials.dsm.local;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalSpaceTest {
  private final LocalSpace space = LocalSpace.forThreads();

  private static Thread start(Runnable task) {
    return Thread.ofPlatform().start(task);
  }

  /** Returns when all have run, having thrown nothing. */
  private static void together(int count, Runnable task) throws InterruptedException {
    AtomicReference<Throwable> failed = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      threads.add(Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> failed.set(e)).start(task));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failed.get());
  }

  private static void untilItWaits(Thread thread) {
    while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHoldWhatWasWritten(boolean oneThread) {
    try (LocalSpace own = oneThread ? LocalSpace.forOneThread() : LocalSpace.forThreads()) {
      SharedDoubles doubles = own.doubles("d", 10, SharingUnit.elements(3));
      doubles.write(1, new double[] {0, 1, 2, 3, 4, 5, 6, 7}, 1, 7);
      double[] read = new double[12];
      doubles.read(0, read, 2, 10);
      assertArrayEquals(new double[] {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0, 0}, read);
      assertEquals(7, doubles.getAndAdd(7, 0.5));
      assertEquals(7.5, doubles.get(7));
      SharedLongs longs = own.longs("l", 3, SharingUnit.whole());
      longs.set(2, 5);
      assertFalse(longs.compareAndSet(2, 4, 6));
      assertTrue(longs.compareAndSet(2, 5, 6));
      assertEquals(6, longs.getAndAdd(2, 1));
      assertEquals(7, longs.get(2));
      SharedInts ints = own.ints("i", 4, SharingUnit.bytes(8));
      ints.set(3, -1);
      assertTrue(ints.compareAndSet(3, -1, 8));
      assertEquals(8, ints.getAndAdd(3, 1));
      own.bytes("b", 5, SharingUnit.pages(1)).set(4, (byte) 9);
      assertEquals(9, own.bytes("b", 5, SharingUnit.pages(1)).get(4));
    }
  }

  @Test
  void shouldRefuseWhatIsOutsideOfAnArray() {
    SharedDoubles doubles = space.doubles("d", 10, SharingUnit.elements(3));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.get(10));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.set(-1, 0));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.read(8, new double[9], 0, 3));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.write(0, new double[2], 1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.prefetch(1L << 32, 1));
    assertThrows(IndexOutOfBoundsException.class, () -> doubles.push(9, 2));
  }

  @Test
  void shouldRefuseNamesAndShapesThatDoNotFit() {
    assertSame(space.doubles("x", 4, SharingUnit.elements(2)), space.doubles("x", 4, SharingUnit.elements(2)));
    assertThrows(IllegalArgumentException.class, () -> space.doubles("x", 5, SharingUnit.elements(2)));
    assertThrows(IllegalArgumentException.class, () -> space.doubles("x", 4, SharingUnit.elements(4)));
    assertThrows(IllegalArgumentException.class, () -> space.longs("x", 4, SharingUnit.elements(2)));
    assertThrows(IllegalArgumentException.class, () -> space.lock("x"));
    assertThrows(IllegalArgumentException.class, () -> space.lock(""));
    assertThrows(IllegalArgumentException.class, () -> space.lock("é".repeat(33)));
    space.lock("é".repeat(32));
    assertThrows(IllegalArgumentException.class, () -> space.ints("odd", 4, SharingUnit.elements(3)));
    assertThrows(IllegalArgumentException.class, () -> space.ints("none", 0, SharingUnit.elements(2)));
    assertThrows(SharedMemoryException.class, () -> space.bytes("large", 1L << 33, SharingUnit.pages(1)));
    space.barrier("b", 2);
    assertThrows(IllegalArgumentException.class, () -> space.barrier("b", 3));
    assertEquals("the barrier \"c\" of -1 parties, must be from 1 to 65536 threads that meet",
        assertThrows(IllegalArgumentException.class, () -> space.barrier("c", -1)).getMessage());
    assertEquals("a name with the character U+0000 at index 1, must be printable characters",
        assertThrows(IllegalArgumentException.class, () -> space.lock("c\0")).getMessage());
    assertEquals("\"x\" is doubles of length 4 in minipages of 16 bytes, and was asked for as a lock",
        assertThrows(IllegalArgumentException.class, () -> space.lock("x")).getMessage());
    space.condition("signal", space.lock("l"));
    assertThrows(IllegalArgumentException.class, () -> space.condition("signal", space.lock("other")));
    assertThrows(IllegalArgumentException.class, () -> space.condition("foreign", LocalSpace.forThreads().lock("l")));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLendTheMemoryItselfForOneCall(boolean oneThread) {
    try (LocalSpace own = oneThread ? LocalSpace.forOneThread() : LocalSpace.forThreads()) {
      SharedInts ints = own.ints("i", 10, SharingUnit.elements(2));
      SharedInts others = own.ints("o", 10, SharingUnit.elements(2));
      DsmBarrier barrier = own.barrier("b", 1);
      AtomicReference<MemorySegment> kept = new AtomicReference<>();
      ints.writeInPlace(3, 6, held -> {
        held.setAtIndex(ValueLayout.JAVA_INT, 5, 7);
        assertThrows(IllegalStateException.class, () -> others.readInPlace(0, 1, nested -> {}));
        assertThrows(IllegalStateException.class, barrier::await);
        kept.set(held);
      });
      assertEquals(7, ints.get(8));
      assertThrows(IllegalStateException.class, () -> kept.get().getAtIndex(ValueLayout.JAVA_INT, 5));
      ints.readInPlace(8, 1, held -> assertThrows(IllegalArgumentException.class, () -> held.setAtIndex(ValueLayout.JAVA_INT, 0, 1)));
      assertThrows(IndexOutOfBoundsException.class, () -> ints.readInPlace(5, 6, held -> {}));
      barrier.await();
      own.free("i");
      assertThrows(IllegalStateException.class, () -> ints.readInPlace(8, 1, held -> {}));
    }
  }

  @Test
  void shouldLoseNothingThatThreadsAddToTheSameRangeInPlace() throws InterruptedException {
    SharedLongs longs = space.longs("x", 3000, SharingUnit.elements(7)); // More minipages than locks.
    together(3, () -> {
      for (int round = 0; round < 300; round++) {
        longs.writeInPlace(1, 2500, held -> {
          for (int i = 0; i < 2500; i++) {
            held.setAtIndex(ValueLayout.JAVA_LONG, i, held.getAtIndex(ValueLayout.JAVA_LONG, i) + 1);
          }
        });
      }
    });
    longs.readInPlace(0, 3000, held -> {
      for (int i = 0; i < 3000; i++) {
        assertEquals(i >= 1 && i <= 2500 ? 900 : 0, held.getAtIndex(ValueLayout.JAVA_LONG, i));
      }
    });
  }

  @Test
  void shouldForgetAnArrayThatWasFreed() {
    SharedLongs before = space.longs("x", 2, SharingUnit.whole());
    before.set(0, 7);
    space.free("x");
    assertTrue(assertThrows(IllegalStateException.class, () -> before.get(0)).getMessage().contains("x"));
    assertThrows(IllegalArgumentException.class, () -> space.free("x"));
    assertEquals(0, space.longs("x", 3, SharingUnit.whole()).get(0));
  }

  @Test
  void shouldNeverShowHalfOfAMinipage() throws InterruptedException {
    // So many that a copy of them is not one instruction.
    int half = 1024;
    SharedLongs longs = space.longs("x", 2 * half, SharingUnit.elements(half));
    AtomicInteger role = new AtomicInteger();
    together(3, () -> {
      int me = role.getAndIncrement();
      long[] words = new long[half];
      space.barrier("start", 3).await();
      for (int i = 1; i < 20_000; i++) {
        if (me == 0) {
          Arrays.fill(words, i);
          longs.write(half, words, 0, half);
        } else if (me == 1) {
          longs.read(half, words, 0, half);
          assertEquals(words[0], words[half - 1]);
        } else {
          long first = longs.get(half);
          assertTrue(longs.get(2 * half - 1) >= first, "what is written at once is seen at once");
        }
      }
    });
  }

  @Test
  void shouldKeepTheOrderOfAWriteAndALaterRead() throws InterruptedException {
    SharedInts x = space.ints("x", 2, SharingUnit.whole());
    SharedInts y = space.ints("y", 2, SharingUnit.whole());
    DsmBarrier barrier = space.barrier("b", 2);
    AtomicInteger role = new AtomicInteger();
    int[] seen = new int[2];
    AtomicInteger both = new AtomicInteger();
    together(2, () -> {
      int me = role.getAndIncrement();
      for (int i = 1; i < 5_000; i++) {
        barrier.await();
        (me == 0 ? x : y).set(0, i);
        seen[me] = (me == 0 ? y : x).get(0);
        barrier.await();
        if (me == 0 && seen[0] < i && seen[1] < i) {
          both.incrementAndGet();
        }
      }
    });
    assertEquals(0, both.get());
  }

  @Test
  void shouldLetOneThreadAtATimeHaveALock() throws InterruptedException {
    SharedLongs count = space.longs("count", 1, SharingUnit.whole());
    DsmLock lock = space.lock("l");
    together(4, () -> {
      for (int i = 0; i < 500; i++) {
        assertEquals(DsmLock.Acquired.RELEASED, lock.acquire());
        count.set(0, count.get(0) + 1);
        lock.release();
      }
    });
    assertEquals(2000, count.get(0));
    lock.acquire();
    assertThrows(IllegalStateException.class, lock::acquire);
    lock.release();
    assertThrows(IllegalStateException.class, lock::release);
  }

  @Test
  void shouldGiveUpWaitingForALock() throws InterruptedException {
    DsmLock lock = space.lock("l");
    lock.acquire();
    together(1, () -> assertEquals(Optional.empty(), lock.tryAcquire(Duration.ofMillis(1))));
    lock.release();
    together(1, () -> assertTrue(lock.tryAcquire(Duration.ZERO).isPresent()));
  }

  @Test
  void shouldWaitForASignal() throws InterruptedException {
    DsmLock lock = space.lock("l");
    DsmCondition condition = space.condition("c", lock);
    SharedLongs word = space.longs("word", 1, SharingUnit.whole());
    assertThrows(IllegalStateException.class, condition::signal);
    lock.acquire();
    assertFalse(condition.await(Duration.ofMillis(1)));
    Thread other = start(() -> {
      lock.acquire();
      word.set(0, 1);
      condition.signalAll();
      lock.release();
    });
    while (word.get(0) == 0) {
      condition.await();
    }
    lock.release();
    other.join();
  }

  @Test
  void shouldTellThoseThatWaitThatTheSpaceIsClosed() throws InterruptedException {
    DsmLock lock = space.lock("l");
    DsmCondition condition = space.condition("c", lock);
    SharedLongs word = space.longs("word", 1, SharingUnit.whole());
    List<Runnable> waits = List.of(space.barrier("b", 2)::await, lock::acquire, () -> {
      DsmLock own = space.lock("own");
      own.acquire();
      space.condition("never", own).await();
    });
    lock.acquire();
    List<Throwable> seen = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Runnable wait : waits) {
      threads.add(Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> {
        synchronized (seen) {
          seen.add(e);
        }
      }).start(wait));
    }
    threads.forEach(LocalSpaceTest::untilItWaits);
    space.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(3, seen.size());
    seen.forEach(e -> assertInstanceOf(IllegalStateException.class, e));
    assertThrows(IllegalStateException.class, () -> word.get(0));
    assertThrows(IllegalStateException.class, () -> space.lock("l"));
    assertThrows(IllegalStateException.class, condition::await);
    space.close();
  }

  @Test
  void shouldSayThatAThreadWasInterrupted() throws InterruptedException {
    DsmBarrier barrier = space.barrier("b", 2);
    DsmLock lock = space.lock("l");
    lock.acquire();
    for (Runnable wait : List.<Runnable>of(barrier::await, lock::acquire)) {
      AtomicReference<Throwable> seen = new AtomicReference<>();
      Thread thread = Thread.ofPlatform().uncaughtExceptionHandler((t, e) -> seen.set(e)).start(wait);
      untilItWaits(thread);
      thread.interrupt();
      thread.join();
      assertInstanceOf(IllegalStateException.class, seen.get());
    }
    lock.release();
    SharedSpace same = space;
    together(2, () -> same.barrier("b", 2).await());
    together(1, lock::acquire);
  }

  @Test
  void shouldHaveTheLockAgainWhereItsWaitForASignalIsInterrupted() throws InterruptedException {
    DsmLock lock = space.lock("l");
    DsmCondition condition = space.condition("c", lock);
    AtomicReference<String> seen = new AtomicReference<>();
    Thread thread = start(() -> {
      lock.acquire();
      assertThrows(IllegalStateException.class, condition::await);
      lock.release(); // IllegalStateException if it does not have it.
      seen.set("interrupted " + Thread.currentThread().isInterrupted());
    });
    untilItWaits(thread);
    thread.interrupt();
    thread.join();
    assertEquals("interrupted true", seen.get());
    together(2, () -> {
      lock.acquire();
      lock.release();
    });
  }
}
