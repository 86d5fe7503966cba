package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.rules.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class AppThreadsTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void shouldChargeWhatIsComputedAndNothingElse() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      long[] ends = new long[2];
      threads.start("short", self -> {
        self.compute(300);
        self.compute(200);
        ends[0] = self.nowNs();
      });
      AppThread slow = threads.start("long", self -> {
        self.compute(900);
        ends[1] = self.nowNs();
      });
      threads.runToEnd(SECOND);
      assertEquals(500, ends[0]);
      assertEquals(900, ends[1]);
      assertEquals(900, slow.computedNs());
      assertEquals(900, system.nowNs());
    }
  }

  @Test
  void shouldLookAsOftenAsAskedWhileSpinning() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      boolean[] there = new boolean[1];
      long[] seenAt = new long[2];
      threads.start("writer", self -> {
        self.compute(101);
        there[0] = true;
      });
      AppThread spinner = threads.start("spinner", self -> {
        self.spin(20, () -> there[0]);
        seenAt[0] = self.nowNs();
        self.spin(20, () -> there[0]);
        seenAt[1] = self.nowNs();
      });
      threads.runToEnd(SECOND);
      assertEquals(120, seenAt[0]);
      assertEquals(120, seenAt[1]);
      assertEquals(120, spinner.computedNs());
    }
  }

  @Test
  void shouldLookTheLessOftenTheLongerItWaitsAndGiveUpInTime() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      int[] looks = new int[1];
      threads.start("waiter", self -> {
        assertFalse(self.await(() -> looks[0]++ < 0, SECOND));
        assertEquals(SECOND, self.nowNs());
        assertTrue(self.await(() -> self.nowNs() >= 2 * SECOND, Long.MAX_VALUE / 2));
        assertTrue(self.nowNs() <= 2 * SECOND + 10_000_000, self.nowNs() + " ns");
        assertTrue(self.await(() -> true, 0));
        assertEquals(0, self.computedNs());
      });
      threads.runToEnd(3 * SECOND);
      assertTrue(looks[0] > 150 && looks[0] < 400, looks[0] + " looks");
    }
  }

  @Test
  void shouldStandStillUntilItMayGoOn() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      long[] ends = new long[2];
      AppThread stopped = threads.start("stopped", self -> {
        self.compute(100);
        ends[0] = self.nowNs();
        self.await(() -> self.nowNs() >= 500, SECOND);
        ends[1] = self.nowNs();
      });
      stopped.stop();
      system.runFor(1_000);
      assertEquals(0, ends[0]);
      stopped.goOn();
      system.runFor(50);
      stopped.stop();
      stopped.goOn();
      threads.runToEnd(SECOND);
      assertEquals(1_100, ends[0], "what is computed is not computed meanwhile");
      assertEquals(1_100, ends[1]);
    }
  }

  /** As those of the JDK's own data, which any thread of this JVM may hold for an instant. */
  @Test
  void shouldWaitForAMonitorThatAThreadOutsideHolds() throws Exception {
    Object monitor = new Object();
    CountDownLatch isHeld = new CountDownLatch(1);
    AtomicReference<Thread> inside = new AtomicReference<>();
    Thread outside = Thread.ofPlatform().start(() -> {
      synchronized (monitor) {
        isHeld.countDown();
        Waits.until("the application thread to be blocked", () -> inside.get() != null && inside.get().getState() == Thread.State.BLOCKED);
      }
    });
    isHeld.await();
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      long[] end = new long[1];
      threads.start("inside", self -> {
        self.compute(5);
        inside.set(Thread.currentThread());
        synchronized (monitor) {
          self.compute(5);
        }
        end[0] = self.nowNs();
      });
      threads.runToEnd(SECOND);
      assertEquals(10, end[0]);
    }
    outside.join();
  }

  @Test
  void shouldRunOneAtATimeInTheOrderOfTheirEvents() {
    List<String> log = new ArrayList<>(); // not thread safe: the baton makes it so
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      for (int t = 0; t < 3; t++) {
        int step = 10 * (t + 1);
        String name = "t" + t;
        threads.start(name, self -> {
          for (int i = 0; i < 3; i++) {
            self.compute(step);
            log.add(name + "@" + self.nowNs());
          }
        });
      }
      threads.runToEnd(SECOND);
    }
    assertEquals(List.of("t0@10", "t1@20", "t0@20", "t2@30", "t0@30", "t1@40", "t2@60", "t1@60", "t2@90"), log);
  }

  @Test
  void shouldLeaveTheSameTraceWhenASeedIsRepeated() {
    for (long seed = 0; seed < 10; seed++) {
      assertEquals(trace(seed), trace(seed), "seed " + seed);
    }
    assertFalse(trace(1) == trace(2));
  }

  private static long trace(long seed) {
    try (VirtualSystem system = VirtualSystem.create(seed); AppThreads threads = new AppThreads(system)) {
      AppThread[] ring = new AppThread[4];
      int[] token = {0};
      for (int t = 0; t < ring.length; t++) {
        int me = t;
        ring[t] = threads.start("t" + t, self -> {
          Random random = new Random(seed * 31 + me);
          for (int i = 0; i < 20; i++) {
            while (token[0] % ring.length != me) {
              self.park();
            }
            self.compute(random.nextInt(1000));
            system.traceNote(token[0]++);
            ring[(me + 1) % ring.length].unpark();
          }
        });
      }
      threads.runToEnd(SECOND);
      assertEquals(80, token[0]);
      return system.traceHash();
    }
  }

  @Test
  void shouldTalkToActorsWhileItHoldsTheBaton() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      AppThread[] waiter = new AppThread[1];
      int[] answer = {0};
      ActorRef<Integer> doubler = system.spawn(Behaviors.<Integer>receiveMessage(number -> {
        answer[0] = 2 * number;
        waiter[0].unpark();
        return Behaviors.same();
      }), "doubler");
      waiter[0] = threads.start("asker", self -> {
        for (int i = 1; i <= 5; i++) {
          doubler.tell(i);
          self.park();
          assertEquals(2 * i, answer[0]);
        }
      });
      threads.runToEnd(SECOND);
    }
  }

  @Test
  void shouldKeepOnePermitThatCameBeforeThePark() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      AppThread sleeper = threads.start("sleeper", self -> {
        self.compute(100);
        self.park();
        self.park();
      });
      threads.start("waker", self -> {
        sleeper.unpark();
        sleeper.unpark();
        self.compute(500);
        sleeper.unpark();
      });
      threads.runToEnd(SECOND);
      assertEquals(500, system.nowNs());
    }
  }

  @Test
  void shouldNameThreadsThatWaitForEver() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      threads.start("stuck", AppThread::park);
      threads.start("server", AppThread::park).asDaemon();
      String message = assertThrows(IllegalStateException.class, () -> threads.runToEnd(SECOND)).getMessage();
      assertTrue(message.contains("stuck (parked)") && !message.contains("server"), message);
    }
  }

  @Test
  void shouldFailTheRunWhenAThreadFails() {
    try (VirtualSystem system = VirtualSystem.create(7); AppThreads threads = new AppThreads(system)) {
      threads.start("bad", self -> {
        self.compute(40);
        throw new IllegalArgumentException("the reason");
      });
      String message = assertThrows(IllegalStateException.class, () -> threads.runToEnd(SECOND)).getMessage();
      assertTrue(message.contains("bad failed at 40 ns, seed 7") && message.contains("the reason"), message);
    }
  }

  @Test
  void shouldEndThreadsThatAreClosedBeforeTheirEnd() {
    List<String> log = new ArrayList<>();
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      threads.start("waiting", self -> {
        try {
          self.park();
        } finally {
          log.add("unwound");
        }
      });
      system.runFor(10);
      threads.start("never begun", self -> log.add("begun"));
    }
    assertEquals(List.of("unwound"), log);
  }

  @Test
  void shouldRefuseCallsFromOtherThreads() {
    try (VirtualSystem system = VirtualSystem.create(1); AppThreads threads = new AppThreads(system)) {
      AppThread one = threads.start("one", AppThread::park).asDaemon();
      assertThrows(IllegalStateException.class, () -> one.compute(1));
      assertThrows(IllegalStateException.class, one::park);
    }
  }
}
