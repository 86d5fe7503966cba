package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.PauseMeter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A thread that is woken through shared memory. The ringing side maps the file anew, as another process would. */
@Tag("actor")
@Timeout(180)
class BellTest {
  /** As long as may be set, so that a ring that gets lost is told from one that is late. */
  private static final String SLEEP_FOR_LONG = """
      akka.loglevel = ERROR
      weft.hardware-dispatcher.duty-cycle { spin-cycles = 0, yield-cycles = 2, park-rung = 1s, park-max = 1s }
      """;
  private static final long LOST_NS = TimeUnit.MILLISECONDS.toNanos(900);
  private static final int RINGS = 5_000;

  @TempDir Path directory;
  private ActorSystem<Void> system;
  private HardwareDispatcher dispatcher;
  private Bell peer;
  private final AtomicInteger published = new AtomicInteger();
  private final AtomicInteger seen = new AtomicInteger();
  private final PauseMeter pauses = new PauseMeter();

  private final Poller poller = new Poller() {
    @Override
    public int poll() {
      int there = published.get();
      int news = there - seen.get();
      seen.set(there);
      return news;
    }

    @Override
    public boolean isRung() {
      return true;
    }
  };

  @BeforeEach
  void start() throws IOException {
    Needs.that(Bell.isSupported(), "there is no futex(2), which Linux has");
    system = ActorSystem.create(Behaviors.empty(), "bell", ConfigFactory.parseString(SLEEP_FOR_LONG).withFallback(ConfigFactory.load()));
    dispatcher = HardwareDispatcher.of(system);
    Path file = directory.resolve("bell");
    dispatcher.useBell(Bell.make(file));
    peer = Bell.of(file);
    dispatcher.addPoller(poller);
  }

  @AfterEach
  void stop() throws Exception {
    pauses.close();
    if (system != null) {
      system.terminate();
      assertTrue(dispatcher.awaitTermination(TimeUnit.SECONDS.toNanos(90)), "the hardware thread should end with the system");
    }
  }

  private boolean isLate(long sentNs, long pausedNs) {
    return System.nanoTime() - sentNs - (pauses.pausedNs() - pausedNs) > LOST_NS;
  }

  /** Rings for one message more; whether the dispatcher saw it at the end of a sleep only. */
  private boolean isLost(int message) {
    long pausedNs = pauses.pausedNs();
    long sentNs = System.nanoTime();
    published.set(message);
    peer.ring();
    while (seen.get() != message) {
      Thread.onSpinWait();
    }
    return isLate(sentNs, pausedNs);
  }

  @Test
  void shouldWakeASleeperForEveryRing() {
    int lost = 0;
    for (int i = 1; i <= RINGS; i++) {
      lost += isLost(i) ? 1 : 0;
      if (i % 16 == 0) {
        Thread.yield();
      }
    }
    assertEquals(0, lost, "rings were lost");
    assertTrue(dispatcher.stats().parks() > 0, "the thread never slept, so nothing was tested");
  }

  @Test
  void shouldBeRungAlsoBehindHelpers() throws Exception {
    AtomicInteger wanted = new AtomicInteger();
    Thread helper = new Thread(() -> {
      while (wanted.get() < RINGS) {
        int now = wanted.get();
        dispatcher.help(() -> wanted.get() > now, 20_000);
      }
    }, "helper");
    helper.start();
    int lost = 0;
    for (int i = 1; i <= RINGS; i++) {
      lost += isLost(i) ? 1 : 0;
      wanted.set(i);
    }
    helper.join();
    assertEquals(0, lost, "rings were lost");
  }

  @Test
  void shouldLetLocalTasksWakeTheSleeperToo() throws Exception {
    for (int i = 0; i < 200; i++) {
      AtomicInteger ran = new AtomicInteger();
      long pausedNs = pauses.pausedNs();
      long sentNs = System.nanoTime();
      Thread.sleep(1);
      dispatcher.execute(ran::incrementAndGet);
      while (ran.get() == 0) {
        Thread.onSpinWait();
      }
      assertFalse(isLate(sentNs, pausedNs), "a local task waited for the end of the sleep");
    }
  }

  @Test
  void shouldTellThatThereIsNoBell() {
    assertThrows(IOException.class, () -> Bell.of(directory.resolve("none")));
  }
}
