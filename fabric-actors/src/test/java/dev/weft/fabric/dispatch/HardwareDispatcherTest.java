package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.time.FabricContext;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class HardwareDispatcherTest {
  private static final Props HARDWARE = DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH);

  private ActorSystem<Void> system;
  private HardwareDispatcher dispatcher;

  @BeforeEach
  void start() {
    system =
        ActorSystem.create(
            Behaviors.empty(), "dispatch", ConfigFactory.parseString("akka.loglevel=ERROR").withFallback(ConfigFactory.load()));
    dispatcher = HardwareDispatcher.of(system);
  }

  @AfterEach
  void stop() throws Exception {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().get(90, TimeUnit.SECONDS);
    assertTrue(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(90)), "the hardware thread should end with the system");
  }

  private <T> ActorRef<T> hardware(Behavior<T> behavior, String name) {
    return system.systemActorOf(behavior, name, HARDWARE);
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(90, TimeUnit.SECONDS));
  }

  @Test
  void shouldBeOnePerActorSystem() {
    assertSame(dispatcher, HardwareDispatcher.of(system));
    ActorSystem<Void> other = ActorSystem.create(Behaviors.empty(), "other");
    try {
      assertNotSame(dispatcher, HardwareDispatcher.of(other));
    } finally {
      other.terminate();
    }
  }

  @Test
  void shouldRunInShortSlicesOfTime() throws Exception {
    FutureTask<Long> usual = new FutureTask<>(TimeSlice::current);
    Thread.ofPlatform().start(usual);
    assumeTrue(usual.get() > 0, "this kernel has no slices of threads (Linux 6.12 and later)");
    FutureTask<Long> slice = new FutureTask<>(TimeSlice::current);
    dispatcher.execute(slice);
    assertEquals(100_000, slice.get());
  }

  @Test
  void shouldRunHardwareActorsOnTheHardwareThread() throws Exception {
    AtomicBoolean onHardware = new AtomicBoolean();
    CountDownLatch done = new CountDownLatch(1);
    ActorRef<String> actor =
        hardware(
            Behaviors.receiveMessage(
                message -> {
                  onHardware.set(dispatcher.isHardwareThread());
                  done.countDown();
                  return Behaviors.same();
                }),
            "where");
    actor.tell("now");
    await(done);
    assertTrue(onHardware.get());
    assertFalse(dispatcher.isHardwareThread());
  }

  @Test
  void shouldCallPollersUntilTheyAreRemoved() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Poller poller =
        () -> {
          calls.incrementAndGet();
          return 0;
        };
    dispatcher.addPoller(poller);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (calls.get() < 500 && System.nanoTime() < deadline) {
      Thread.sleep(1);
    }
    assertTrue(calls.get() >= 500, "an idle dispatcher still polls; it did " + calls);
    dispatcher.removePoller(poller);
    CountDownLatch removed = new CountDownLatch(1);
    dispatcher.execute(removed::countDown);
    await(removed);
    int after = calls.get();
    Thread.sleep(20);
    assertTrue(calls.get() <= after + 1);
  }

  @Test
  void shouldFireTimersInOrderAndNeverEarly() throws Exception {
    List<Long> fired = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch done = new CountDownLatch(200);
    AtomicLong early = new AtomicLong();
    ActorRef<Long> actor =
        hardware(
            Behaviors.receiveMessage(
                deadline -> {
                  if (System.nanoTime() - deadline < 0) {
                    early.incrementAndGet();
                  }
                  fired.add(deadline);
                  done.countDown();
                  return Behaviors.same();
                }),
            "timed");
    FabricContext context = HardwareDispatcher.realContext(system);
    long base = context.clock().nowNs() + TimeUnit.MILLISECONDS.toNanos(500); // all are set before the first is due
    dispatcher.execute(() -> {
      for (int i = 0; i < 200; i++) {
        long deadline = base + (i * 7919L % 200) * 100_000;
        context.timers().at(deadline, actor, deadline);
      }
    });
    await(done);
    assertEquals(0, early.get());
    assertEquals(fired.stream().sorted().toList(), List.copyOf(fired));
  }

  @Test
  void shouldKeepRunningWhenATaskThrows() throws Exception {
    CountDownLatch done = new CountDownLatch(1);
    AtomicReference<Throwable> reported = new AtomicReference<>();
    dispatcher.execute(
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> reported.set(error));
          throw new IllegalStateException("on purpose");
        });
    dispatcher.execute(done::countDown);
    await(done);
    assertEquals("on purpose", reported.get().getMessage());
  }

  @Test
  void shouldUseNextToNoCpuWhenIdle() throws Exception {
    dispatcher.addPoller(() -> 0);
    AtomicLong threadId = new AtomicLong();
    CountDownLatch done = new CountDownLatch(1);
    dispatcher.execute(
        () -> {
          threadId.set(Thread.currentThread().threadId());
          done.countDown();
        });
    await(done);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    Thread.sleep(300);
    double share = 1;
    for (int window = 0; window < 6 && share >= 0.05; window++) { // the quietest of a few, as the machine is shared
      long cpuBefore = threads.getThreadCpuTime(threadId.get());
      long startNs = System.nanoTime();
      Thread.sleep(500);
      share = Math.min(share, (threads.getThreadCpuTime(threadId.get()) - cpuBefore) / (double) (System.nanoTime() - startNs));
    }
    assertTrue(share < 0.05, "idle share of a core is " + share);
  }

  @Test
  void shouldRunTheActorsOnTheHelpersThreadWhenItHelps() throws Exception {
    AtomicReference<Thread> ranOn = new AtomicReference<>();
    ActorRef<String> actor =
        hardware(
            Behaviors.receiveMessage(
                message -> {
                  ranOn.set(Thread.currentThread());
                  return Behaviors.same();
                }),
            "helped");
    boolean ranHere = false;
    for (int i = 0; i < 200 && !ranHere; i++) {
      Thread.sleep(2);
      ranOn.set(null);
      try (var _ = dispatcher.deferWake()) {
        actor.tell("request");
        assertTrue(dispatcher.help(() -> ranOn.get() != null, TimeUnit.SECONDS.toNanos(90)));
      }
      ranHere = ranOn.get() == Thread.currentThread();
    }
    assertTrue(ranHere, "in 200 tries the helper should have run the actor itself at least once");
  }

  @Test
  void shouldReturnFalseWhenTheHelpersTimeIsOver() {
    long startNs = System.nanoTime();
    assertFalse(dispatcher.help(() -> false, TimeUnit.MILLISECONDS.toNanos(30)));
    long ns = System.nanoTime() - startNs;
    assertTrue(ns >= 30_000_000 && ns < 90_000_000_000L, "took " + ns);
  }

  @Test
  void shouldRefuseHelpOnTheHardwareThread() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    dispatcher.execute(
        () -> {
          thrown.set(assertThrows(IllegalStateException.class, () -> dispatcher.help(() -> true, 1)));
          done.countDown();
        });
    await(done);
    assertTrue(thrown.get().getMessage().contains("hardware thread"));
  }

  @Test
  void shouldServeATaskWhenADeferredWakeWasNotFollowedByHelp() throws Exception {
    for (int i = 0; i < 20; i++) {
      Thread.sleep(3);
      CountDownLatch done = new CountDownLatch(1);
      try (var _ = dispatcher.deferWake()) {
        dispatcher.execute(done::countDown);
      }
      await(done);
    }
  }

  @Test
  void shouldNameTheKeyWhenASettingIsOutOfRange() {
    var config = ConfigFactory.parseString("duty-cycle.park-max = 2 s")
        .withFallback(ConfigFactory.load().getConfig(HardwareDispatcher.CONFIG_PATH));
    var error = assertThrows(IllegalArgumentException.class, () -> HardwareDispatcherSettings.from(config));
    assertTrue(error.getMessage().contains("park-max is 2000000000"), error.getMessage());
  }
}
