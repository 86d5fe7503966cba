package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RegistrationPoolTest {
  private static final int KIB = 1024;

  @Test
  void shouldWakeTheLongestWaitingFirst() {
    RegistrationPool pool = new RegistrationPool(4 * KIB, 10);
    assertEquals(0, pool.allocate(4 * KIB, null));
    List<String> order = new ArrayList<>();
    assertEquals(-1, pool.allocate(4 * KIB, () -> order.add("long " + pool.allocate(4 * KIB, null))));
    assertEquals(-1, pool.allocate(KIB, () -> order.add("short " + pool.allocate(KIB, null))));
    pool.free(0, 4 * KIB);
    assertEquals(List.of("long 0"), order);
    pool.free(0, 4 * KIB);
    assertEquals(List.of("long 0", "short 0"), order);
  }

  @Test
  void shouldLeaveEachShareWhatIsItsOwnWhateverTheOthersHold() {
    RegistrationPool pool = new RegistrationPool(8 * KIB, 2, 4 * KIB, 10);
    RegistrationPool.Share greedy = pool.share();
    RegistrationPool.Share modest = pool.share();
    assertNull(pool.share(), "there are no more");
    assertEquals(8 * KIB, greedy.allocate(4 * KIB, null), "its own first");
    assertEquals(0, greedy.allocate(8 * KIB, null));
    AtomicInteger greedyWoken = new AtomicInteger();
    assertEquals(-1, greedy.allocate(4 * KIB, greedyWoken::incrementAndGet));
    AtomicInteger woken = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      assertEquals(12 * KIB, modest.allocate(3 * KIB, null));
      assertEquals(-1, modest.allocate(2 * KIB, woken::incrementAndGet));
      assertEquals(7 * KIB, pool.snapshot().shareUsedBytes());
      pool.free(12 * KIB, 3 * KIB);
      assertEquals(i + 1, woken.get(), "its own range is enough to go on");
      assertEquals(12 * KIB, modest.allocate(2 * KIB, null));
      pool.free(12 * KIB, 2 * KIB);
    }
    assertEquals(0, greedyWoken.get());
    modest.close();
    RegistrationPool.Share next = pool.share();
    assertEquals(12 * KIB, next.allocate(4 * KIB, null), "the range of one that left");
    pool.free(0, 8 * KIB);
    assertEquals(1, greedyWoken.get(), "it is woken when the pool has room");
    assertEquals(0, greedy.allocate(4 * KIB, null));
  }

  @Test
  void shouldPassTheTurnOfAShareOnThatIsClosed() {
    RegistrationPool pool = new RegistrationPool(4 * KIB, 2, 4 * KIB, 10);
    RegistrationPool.Share one = pool.share();
    RegistrationPool.Share two = pool.share();
    assertEquals(0, pool.allocate(4 * KIB, null));
    assertEquals(4 * KIB, one.allocate(4 * KIB, null));
    assertEquals(8 * KIB, two.allocate(4 * KIB, null));
    AtomicInteger woken = new AtomicInteger();
    assertEquals(-1, one.allocate(4 * KIB, () -> { }));
    assertEquals(-1, two.allocate(4 * KIB, woken::incrementAndGet));
    pool.free(0, 4 * KIB);
    assertEquals(0, woken.get(), "the first has its turn");
    assertThrows(IllegalStateException.class, one::close, "something of it is on loan");
    pool.free(4 * KIB, 4 * KIB);
    one.close();
    assertEquals(1, woken.get());
    assertEquals(0, two.allocate(4 * KIB, null));
    one.close();
    assertEquals(1, pool.snapshot().shares());
  }

  @Test
  void shouldNotLetAShortRequestPassALongOneThatWaits() {
    RegistrationPool pool = new RegistrationPool(4 * KIB, 10);
    pool.allocate(2 * KIB, null);
    AtomicInteger woken = new AtomicInteger();
    assertEquals(-1, pool.allocate(3 * KIB, woken::incrementAndGet));
    assertEquals(-1, pool.allocate(KIB, null), "there is room, but somebody waits");
    pool.free(0, 2 * KIB);
    assertEquals(1, woken.get());
    assertEquals(0, pool.allocate(3 * KIB, null));
  }

  @Test
  void shouldWakeManyShortOnesWhenALongRangeIsFreed() {
    RegistrationPool pool = new RegistrationPool(64 * KIB, 100);
    pool.allocate(64 * KIB, null);
    List<Long> got = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      assertEquals(-1, pool.allocate(KIB, () -> got.add(pool.allocate(KIB, null))));
    }
    pool.free(0, 64 * KIB);
    assertEquals(64, got.size());
    for (int i = 0; i < 64; i++) {
      assertEquals((long) i * KIB, got.get(i));
    }
  }

  @Test
  void shouldRefuseMoreWaitersThanItsBound() {
    RegistrationPool pool = new RegistrationPool(KIB, 1);
    pool.allocate(KIB, null);
    pool.allocate(KIB, () -> { });
    assertThrows(IllegalStateException.class, () -> pool.allocate(KIB, () -> { }));
  }

  /** Random borrowers that always try again when called: everybody is served, nothing overlaps, nothing is lost. */
  @Test
  void shouldServeEverybodyWhenUsedAtRandom() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RegistrationPool pool = new RegistrationPool(64 * KIB, 1000);
      boolean[] used = new boolean[64];
      List<int[]> held = new ArrayList<>();
      int wanted = 300;
      AtomicInteger served = new AtomicInteger();
      for (int i = 0; i < wanted; i++) {
        borrow(pool, 1 + random.nextInt(20 * KIB), used, held, served, seed);
        while (random.nextInt(3) > 0 && !held.isEmpty()) {
          giveBack(pool, used, held, random);
        }
      }
      while (!held.isEmpty()) {
        giveBack(pool, used, held, random);
      }
      assertEquals(wanted, served.get(), "seed " + seed);
      assertEquals(64 * KIB, pool.snapshot().largestFreeBytes(), "seed " + seed);
      assertEquals(0, pool.snapshot().waiters(), "seed " + seed);
    }
  }

  private static void borrow(RegistrationPool pool, int length, boolean[] used, List<int[]> held, AtomicInteger served, long seed) {
    long start = pool.allocate(length, () -> borrow(pool, length, used, held, served, seed));
    if (start >= 0) {
      for (int i = (int) start / KIB; i < (start + length + KIB - 1) / KIB; i++) {
        assertTrue(!used[i], "seed " + seed + ": granule " + i + " given twice");
        used[i] = true;
      }
      served.incrementAndGet();
      held.add(new int[] {(int) start, length});
    }
  }

  private static void giveBack(RegistrationPool pool, boolean[] used, List<int[]> held, Random random) {
    int[] range = held.remove(random.nextInt(held.size()));
    for (int i = range[0] / KIB; i < (range[0] + range[1] + KIB - 1) / KIB; i++) {
      used[i] = false;
    }
    pool.free(range[0], range[1]);
  }

  @Test
  void shouldServeManyThreadsWithoutLosingAWakeUp() throws InterruptedException {
    RegistrationPool pool = new RegistrationPool(16 * KIB, 1000);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 6; t++) {
      int id = t;
      threads.add(Thread.ofPlatform().start(() -> {
        try {
          Random random = new Random(id);
          for (int i = 0; i < 3000; i++) {
            int length = 1 + random.nextInt(12 * KIB);
            Semaphore available = new Semaphore(0);
            long start = pool.allocate(length, available::release);
            while (start < 0) {
              available.acquire();
              start = pool.allocate(length, available::release);
            }
            pool.free(start, length);
          }
        } catch (Throwable e) {
          failure.set(e);
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join(25_000);
      assertTrue(!thread.isAlive(), "a borrower waits for ever: " + pool.snapshot());
    }
    assertEquals(null, failure.get());
    assertEquals(16 * KIB, pool.snapshot().largestFreeBytes());
  }
}
