package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.PauseMeter;
import dev.weft.fabric.time.FabricContext;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a helper leaves behind is done at once, not when the dedicated thread's sleep (here: a second) ends. */
@Tag("actor")
@Timeout(180)
class LeftWorkTest {
  /** Counts down by telling itself; sets a timer for its last step when asked. */
  private record Step(long number, int left, long delayNs) {}

  private final AtomicLong started = new AtomicLong();
  private final AtomicLong finished = new AtomicLong();
  private ActorSystem<Void> system;
  private HardwareDispatcher dispatcher;
  private ActorRef<Step> worker;

  private final PauseMeter pauses = new PauseMeter();

  @BeforeEach
  void start() {
    Config config =
        ConfigFactory.parseString(
                "akka.loglevel = ERROR\nweft.hardware-dispatcher.duty-cycle"
                    + " { park-min = 1 s, park-max = 1 s, spin-cycles = 0, yield-cycles = 0, local-batch = 4 }")
            .withFallback(ConfigFactory.load())
            .resolve();
    system = ActorSystem.create(Behaviors.empty(), "left", config);
    FabricContext context = HardwareDispatcher.realContext(system);
    dispatcher = HardwareDispatcher.of(system);
    worker =
        system.systemActorOf(
            Behaviors.<Step>setup(
                actor ->
                    Behaviors.receiveMessage(
                        step -> {
                          onStep(step, context, actor.getSelf());
                          return Behaviors.same();
                        })),
            "worker",
            DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH));
  }

  @AfterEach
  void stop() throws Exception {
    pauses.close();
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().get(90, TimeUnit.SECONDS);
  }

  private void onStep(Step step, FabricContext context, ActorRef<Step> self) {
    started.set(step.number);
    if (step.left == 0) {
      finished.set(step.number);
    } else if (step.delayNs > 0) {
      context.timers().at(context.clock().nowNs() + step.delayNs, self, new Step(step.number, 0, 0));
    } else {
      self.tell(new Step(step.number, step.left - 1, 0));
    }
  }

  /** Helps only until the first step has run, then merely watches; returns the longest round in milliseconds, without pauses of the machine. */
  private long longestRoundMs(int rounds, Step work, int pauseMs) throws InterruptedException {
    long longestNs = 0;
    for (int i = 1; i <= rounds; i++) {
      Thread.sleep(pauseMs);
      long number = i;
      long pausedNs = pauses.pausedNs();
      long startNs = System.nanoTime();
      try (var _ = dispatcher.deferWake()) {
        worker.tell(new Step(number, work.left, work.delayNs));
        assertTrue(dispatcher.help(() -> started.get() == number, TimeUnit.SECONDS.toNanos(90)));
      }
      while (finished.get() != number && System.nanoTime() - startNs < 90_000_000_000L) {
        Thread.onSpinWait();
      }
      longestNs = Math.max(longestNs, System.nanoTime() - startNs - (pauses.pausedNs() - pausedNs));
    }
    return longestNs / 1_000_000;
  }

  @Test
  void shouldFinishTheMailboxesThatAHelperLeftBehind() throws Exception {
    long ms = longestRoundMs(100, new Step(0, 500, 0), 3);
    assertTrue(ms < 700, "a round took " + ms + " ms");
  }

  @Test
  void shouldFireTheTimerThatWasSetWhileAHelperRan() throws Exception {
    long ms = longestRoundMs(100, new Step(0, 1, 500_000), 3);
    assertTrue(ms < 700, "a round took " + ms + " ms");
  }

  @Test
  void shouldFinishLeftWorkWhenTheDedicatedThreadIsJustGoingToSleep() throws Exception {
    long ms = longestRoundMs(20_000, new Step(0, 50, 0), 0);
    assertTrue(ms < 700, "a round took " + ms + " ms");
  }
}
