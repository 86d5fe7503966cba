package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("jvms")
@Timeout(180)
class VirtualSystemTest {
  private static Behavior<String> recorder(List<String> log) {
    return Behaviors.receiveMessage(
        message -> {
          log.add(message);
          return Behaviors.same();
        });
  }

  @Test
  void shouldGiveTheSameTraceWhenTheSeedIsTheSame() {
    for (long seed = 0; seed < 50; seed++) {
      assertEquals(VirtualWorkload.run(seed), VirtualWorkload.run(seed), "seed " + seed);
    }
  }

  @Test
  void shouldGiveTheSameTracesInAnotherJvmWithAnotherCollector() throws Exception {
    int seeds = 40;
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseG1GC",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                VirtualWorkload.class.getName(),
                "1000",
                Integer.toString(seeds))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var reader = process.inputReader()) {
      for (int i = 0; i < seeds; i++) {
        String line = reader.readLine();
        assertNotNull(line, "the second JVM ended early");
        assertEquals(Long.toHexString(VirtualWorkload.run(1000 + i)), line, "seed " + (1000 + i));
      }
      assertTrue(process.waitFor(90, TimeUnit.SECONDS));
      assertEquals(0, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void shouldExploreDifferentOrdersWhenTheSeedsDiffer() {
    Set<List<String>> orders = new HashSet<>();
    for (long seed = 0; seed < 200; seed++) {
      List<String> log = new ArrayList<>();
      try (VirtualSystem virtual = VirtualSystem.create(seed)) {
        ActorRef<String> sink = virtual.spawn(recorder(log), "sink");
        for (String name : List.of("a", "b", "c", "d")) {
          ActorRef<String> relay =
              virtual.spawn(
                  Behaviors.receiveMessage(
                      message -> {
                        sink.tell(message);
                        return Behaviors.same();
                      }),
                  name);
          virtual.timers().at(5, relay, name);
        }
        virtual.runUntilIdle(1000);
      }
      assertEquals(4, log.size(), "seed " + seed);
      orders.add(log);
    }
    assertEquals(24, orders.size(), "all 4! orders should have been found in 200 seeds");
  }

  @Test
  void shouldFireTimersInOrderWithNanosecondResolution() {
    List<String> log = new ArrayList<>();
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      ActorRef<String> sink =
          virtual.spawn(
              Behaviors.receiveMessage(
                  message -> {
                    log.add(virtual.nowNs() + message);
                    return Behaviors.same();
                  }),
              "sink");
      virtual.timers().at(3, sink, "c");
      virtual.timers().at(1, sink, "a");
      virtual.timers().at(3, sink, "d");
      virtual.timers().at(2, sink, "b");
      virtual.timers().at(Duration.ofHours(1).toNanos() + 1, sink, "e");
      virtual.runUntilIdle(100);
      assertEquals(List.of("1a", "2b", "3c", "3d", "3600000000001e"), log);
    }
  }

  @Test
  void shouldRunAkkasOwnTimersInVirtualTime() {
    List<String> log = new ArrayList<>();
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      virtual.spawn(
          Behaviors.<String>withTimers(
              timers -> {
                timers.startTimerAtFixedRate("rate", "rate", Duration.ofMillis(10));
                timers.startTimerWithFixedDelay("delay", "delay", Duration.ofMillis(15));
                timers.startSingleTimer("cancelled", "cancelled", Duration.ofMillis(5));
                timers.cancel("cancelled");
                return Behaviors.receiveMessage(
                    message -> {
                      log.add(virtual.nowNs() / 1_000_000 + message);
                      return Behaviors.same();
                    });
              }),
          "timed");
      virtual.runFor(Duration.ofMillis(32).toNanos());
      assertEquals(Set.of("10rate", "15delay", "20rate", "30rate", "30delay"), new HashSet<>(log));
      assertEquals(5, log.size());
      assertEquals(32_000_000, virtual.nowNs());
    }
  }

  @Test
  void shouldFailTheRunWhenAForeignThreadReachesAnActor() throws Exception {
    VirtualSystem virtual = VirtualSystem.create(77);
    ActorRef<String> sink = virtual.spawn(recorder(new ArrayList<>()), "sink");
    virtual.runUntilIdle(100);
    Thread intruder = new Thread(() -> sink.tell("hello"), "intruder");
    intruder.setUncaughtExceptionHandler((thread, error) -> {});
    intruder.start();
    intruder.join();
    IllegalStateException error = assertThrows(IllegalStateException.class, () -> virtual.runUntilIdle(100));
    assertTrue(error.getMessage().contains("intruder"), error.getMessage());
    assertTrue(error.getMessage().contains("seed 77"), error.getMessage());
  }

  @Test
  void shouldLetAnotherThreadTellWhenItHoldsTheBaton() throws Exception {
    List<String> log = new ArrayList<>();
    try (VirtualSystem virtual = VirtualSystem.create(3)) {
      ActorRef<String> sink = virtual.spawn(recorder(log), "sink");
      Thread main = Thread.currentThread();
      Thread application =
          new Thread(
              () -> {
                sink.tell("from the application");
                virtual.handOver(main);
              });
      virtual.handOver(application);
      application.start();
      application.join();
      virtual.runUntilIdle(100);
      assertEquals(List.of("from the application"), log);
    }
  }

  @Test
  void shouldFailTheRunWhenItIsNotIdleAfterTheMostEvents() {
    try (VirtualSystem virtual = VirtualSystem.create(11)) {
      virtual.spawn(
          Behaviors.<String>setup(
              context -> {
                context.getSelf().tell("again");
                return Behaviors.receiveMessage(
                    message -> {
                      context.getSelf().tell(message);
                      return Behaviors.same();
                    });
              }),
          "busy");
      IllegalStateException error = assertThrows(IllegalStateException.class, () -> virtual.runUntilIdle(1000));
      assertTrue(error.getMessage().contains("seed 11 is not idle after maxEvents = 1000"), error.getMessage());
    }
  }

  @Test
  void shouldFailTheRunWhenAnUnsupervisedActorThrows() {
    VirtualSystem virtual = VirtualSystem.create(5);
    virtual.spawn(
        Behaviors.setup(
            context -> {
              ActorRef<String> child =
                  context.spawn(
                      Behaviors.<String>receiveMessage(
                          message -> {
                            throw new IllegalArgumentException("bad " + message);
                          }),
                      "child");
              child.tell("packet");
              return Behaviors.empty();
            }),
        "parent");
    IllegalStateException error = assertThrows(IllegalStateException.class, () -> virtual.runUntilIdle(100));
    assertTrue(error.getMessage().contains("/user/parent/child"), error.getMessage());
    assertTrue(error.getMessage().contains("bad packet"), error.getMessage());
  }

  @Test
  void shouldStopAtTheLimitWhenTheConditionNeverHolds() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      List<String> log = new ArrayList<>();
      ActorRef<String> sink = virtual.spawn(recorder(log), "sink");
      virtual.timers().at(100, sink, "late");
      assertFalse(virtual.runUntil(() -> !log.isEmpty(), 50));
      assertEquals(50, virtual.nowNs());
      assertTrue(virtual.runUntil(() -> !log.isEmpty(), 50));
      assertEquals(100, virtual.nowNs());
    }
  }

  @Test
  void shouldKeepTheMainStreamWhenFaultsAreDrawn() {
    try (VirtualSystem a = VirtualSystem.create(9);
        VirtualSystem b = VirtualSystem.create(9)) {
      b.faultRandom().nextLong();
      assertEquals(a.random().nextLong(), b.random().nextLong());
    }
  }

  @Test
  void shouldLetActorsSeePostStopWhenTheSystemCloses() {
    AtomicReference<String> seen = new AtomicReference<>();
    VirtualSystem virtual = VirtualSystem.create(1);
    virtual.spawn(
        Behaviors.receive(String.class)
            .onSignal(
                PostStop.class,
                stop -> {
                  seen.set("stopped");
                  return Behaviors.same();
                })
            .build(),
        "actor");
    virtual.runUntilIdle(100);
    virtual.close();
    assertEquals("stopped", seen.get());
  }

  @Test
  void shouldRefuseAHardwareDispatcherInVirtualTime() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      assertThrows(IllegalStateException.class, () -> HardwareDispatcher.of(virtual.system()));
    }
  }
}
