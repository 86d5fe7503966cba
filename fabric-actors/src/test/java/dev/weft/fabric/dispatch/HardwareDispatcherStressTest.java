package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.PauseMeter;
import dev.weft.fabric.time.RealClock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many helpers, foreign tellers and timers at once: nothing is lost, nothing runs twice, nothing runs concurrently. */
@Tag("actor")
@Timeout(180)
class HardwareDispatcherStressTest {
  private static final int HELPERS = 4;
  private static final int TELLERS = 3;
  private static final int TIMER_SETTERS = 2;

  /** How much each helper, teller and timer setter does. */
  private record Load(int requests, int tells, int timers) {}

  /** Plain fields on purpose: only the dispatcher's own happens-before makes the counts right. */
  private static final class Device {
    final AtomicInteger inside = new AtomicInteger();
    int overlaps;
    long told;
    long fired;
    long served;

    void enter() {
      if (inside.getAndIncrement() != 0) {
        overlaps++;
      }
    }

    void leave() {
      inside.decrementAndGet();
    }
  }

  private sealed interface Command {}

  private record Request(AtomicLong reply, long number, ActorRef<Command> next) implements Command {}

  private record Told() implements Command {}

  private record Fired() implements Command {}

  @Test
  void shouldLoseNothingWhenHelpersTellersAndTimersCompete() throws Exception {
    run("", new Load(20_000, 100_000, 10_000));
  }

  @Test
  void shouldLoseNothingWhenTheForeignQueueIsTiny() throws Exception {
    run(
        "weft.hardware-dispatcher.duty-cycle { foreign-queue-capacity = 16, spin-cycles = 0, yield-cycles = 0 }",
        new Load(5_000, 25_000, 2_500));
  }

  @Test
  void shouldNotNeedTheEndOfASleepToNoticeWork() throws Exception {
    long ms;
    try (PauseMeter pauses = new PauseMeter()) {
      long startNs = System.nanoTime();
      run("weft.hardware-dispatcher.duty-cycle { park-min = 1 s, park-max = 1 s, spin-cycles = 1, yield-cycles = 1 }", new Load(10_000, 0, 20));
      ms = (System.nanoTime() - startNs - pauses.pausedNs()) / 1_000_000;
    }
    // Nobody but the helpers themselves brings work: each wake-up that is lost costs a second.
    assertTrue(ms < 5_000, "with sleeps of a second it took " + ms + " ms: wake-ups are lost");
  }

  private void run(String settings, Load load) throws Exception {
    Config config =
        ConfigFactory.parseString(settings + "\nakka.loglevel=ERROR").withFallback(ConfigFactory.load()).resolve();
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "stress", config);
    HardwareDispatcher dispatcher = HardwareDispatcher.of(system);
    try {
      stress(system, dispatcher, load);
    } finally {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().get(90, TimeUnit.SECONDS);
    }
    assertTrue(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(90)));
  }

  private void stress(ActorSystem<Void> system, HardwareDispatcher dispatcher, Load load) throws Exception {
    Device device = new Device();
    ActorRef<Command> second = spawn(system, device, "second");
    ActorRef<Command> first = spawn(system, device, "first");
    List<Thread> threads = new ArrayList<>();
    List<Throwable> errors = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < HELPERS; i++) {
      int helper = i;
      threads.add(thread(errors, () -> request(dispatcher, first, second, load.requests, helper)));
    }
    for (int i = 0; i < TELLERS; i++) {
      threads.add(thread(errors, () -> tell(first, load.tells)));
    }
    for (int i = 0; i < TIMER_SETTERS; i++) {
      int setter = i;
      threads.add(thread(errors, () -> setTimers(dispatcher, second, load.timers, setter)));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join(90_000);
      assertTrue(!thread.isAlive(), "a thread hangs: " + List.of(thread.getStackTrace()));
    }
    assertEquals(List.of(), errors);
    long told = (long) TELLERS * (load.tells);
    long fired = (long) TIMER_SETTERS * (load.timers);
    long served = (long) HELPERS * (load.requests);
    assertEquals(List.of(told, fired, served, 0L), settle(dispatcher, device, told + fired));
    System.out.println("stress: " + dispatcher.stats());
  }

  /** Reads the device on the hardware thread until what was sent without waiting has arrived, or it has not for long. */
  private static List<Long> settle(HardwareDispatcher dispatcher, Device device, long expected) throws Exception {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      List<Long> counts = new ArrayList<>();
      CountDownLatch read = new CountDownLatch(1);
      dispatcher.execute(
          () -> {
            counts.addAll(List.of(device.told, device.fired, device.served, (long) device.overlaps));
            read.countDown();
          });
      assertTrue(read.await(90, TimeUnit.SECONDS), "a foreign task was not served");
      if (counts.get(0) + counts.get(1) >= expected || System.nanoTime() - deadlineNs > 0) {
        return counts;
      }
      Thread.sleep(1);
    }
  }

  private static ActorRef<Command> spawn(ActorSystem<Void> system, Device device, String name) {
    return system.systemActorOf(
        Behaviors.<Command>receiveMessage(
            command -> {
              device.enter();
              switch (command) {
                case Request request when request.next != null ->
                    request.next.tell(new Request(request.reply, request.number, null));
                case Request request -> {
                  device.served++;
                  request.reply.set(request.number);
                }
                case Told told -> device.told++;
                case Fired fired -> device.fired++;
              }
              device.leave();
              return Behaviors.same();
            }),
        name,
        DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH));
  }

  private static void request(
      HardwareDispatcher dispatcher, ActorRef<Command> first, ActorRef<Command> second, int count, int helper) {
    AtomicLong reply = new AtomicLong();
    SplittableRandom random = new SplittableRandom(helper);
    for (long i = 1; i <= count; i++) {
      long number = i;
      int way = random.nextInt(8);
      if (way == 0) { // gives up at once, perhaps in the middle of the request, and leaves the rest to the others
        first.tell(new Request(reply, number, second));
        dispatcher.help(() -> reply.get() == number, 1);
        long startNs = System.nanoTime();
        while (reply.get() != number) {
          assertTrue(System.nanoTime() - startNs < 90_000_000_000L, "no reply to " + number);
          Thread.yield();
        }
      } else if (way <= 2) {
        first.tell(new Request(reply, number, second));
        assertTrue(dispatcher.help(() -> reply.get() == number, TimeUnit.SECONDS.toNanos(90)), "no reply to " + number);
      } else {
        try (var _ = dispatcher.deferWake()) {
          first.tell(new Request(reply, number, second));
          assertTrue(dispatcher.help(() -> reply.get() == number, TimeUnit.SECONDS.toNanos(90)), "no reply to " + number);
        }
      }
    }
  }

  private static void tell(ActorRef<Command> actor, int count) {
    for (int i = 0; i < count; i++) {
      actor.tell(new Told());
      if ((i & 1023) == 0) {
        java.util.concurrent.locks.LockSupport.parkNanos(100_000);
      }
    }
  }

  private static void setTimers(HardwareDispatcher dispatcher, ActorRef<Command> actor, int count, int setter) {
    SplittableRandom random = new SplittableRandom(100 + setter);
    for (int i = 0; i < count; i++) {
      dispatcher.timers().at(RealClock.INSTANCE.nowNs() + random.nextInt(3_000_000), actor, new Fired());
      if ((i & 255) == 0) {
        java.util.concurrent.locks.LockSupport.parkNanos(200_000);
      }
    }
  }

  private static Thread thread(List<Throwable> errors, Runnable body) {
    Thread thread = new Thread(body);
    thread.setUncaughtExceptionHandler((failed, error) -> errors.add(error));
    return thread;
  }
}
