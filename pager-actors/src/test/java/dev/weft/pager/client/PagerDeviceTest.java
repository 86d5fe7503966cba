package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
class PagerDeviceTest {
  private static final int ROUNDS = 2000;
  private static final int SUBMITTERS = 2;

  @Test
  @Timeout(180)
  void shouldAnswerEveryRequestThatRacesWithTheEndOfTheDevice() throws Exception {
    ActorSystem<PagerClientActor.Command> deaf = ActorSystem.create(Behaviors.ignore(), "deaf");
    try {
      PagerSettings settings = PagerSettings.from(ConfigFactory.load());
      for (int round = 0; round < ROUNDS; round++) {
        PagerDevice device = new PagerDevice(settings, new AreaMap(new long[] {1 << 20}), null, null);
        device.started(deaf);
        AtomicInteger answered = new AtomicInteger();
        CyclicBarrier start = new CyclicBarrier(SUBMITTERS + 1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < SUBMITTERS; i++) {
          threads.add(Thread.ofPlatform().start(() -> {
            await(start);
            device.trim(0, 4096, errno -> answered.addAndGet(errno == Errno.ESHUTDOWN ? 1 : 1000));
          }));
        }
        await(start);
        device.markClosed();
        for (Thread thread : threads) {
          thread.join();
        }
        assertEquals(SUBMITTERS, answered.get(), "round " + round);
        assertEquals(0, device.inFlight());
      }
    } finally {
      deaf.terminate();
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
