package dev.weft.hca.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread fills the ring of a completion queue, others poll it. */
@Tag("actor")
@Timeout(180)
class CqThreadsTest {
  /** A producer thread, a consumer that sleeps after arming: no wake-up may get lost. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldNeverLoseAWakeUpBetweenThreads(long seed) throws InterruptedException {
    int total = 30_000;
    Semaphore interrupts = new Semaphore(0);
    ActorSystem<CqActor.Command> actor = ActorSystem.create(Behaviors.receiveMessage(message -> {
      interrupts.release();
      return Behaviors.same();
    }), "cq-stress", ConfigFactory.parseString("akka.log-dead-letters = off").withFallback(ConfigFactory.load()));
    Cq cq = new Cq(null, null, 64, 1, new CqExAttr(64, ReceiveContext.ISR, q -> {}, false, false), null);
    cq.startActor(actor);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread producer = Thread.ofPlatform().daemon().start(() -> {
      try {
        produce(cq, total, new SplittableRandom(seed), stop);
      } catch (RuntimeException e) {
        failure.set(e);
      }
    });
    try {
      consume(cq, total, new SplittableRandom(seed + 100), interrupts, "seed " + seed);
      producer.join(10_000);
      assertNull(failure.get());
      assertFalse(cq.isOverrun());
      assertEquals(total, cq.completions);
    } finally {
      stop.set(true);
      actor.terminate();
    }
  }

  private static void produce(Cq cq, int total, SplittableRandom random, AtomicBoolean stop) {
    for (int i = 0; i < total && !stop.get(); i++) {
      while (cq.size() >= cq.capacity() && !stop.get()) {
        Thread.onSpinWait();
      }
      cq.claim().fill(1, i, WcStatus.SUCCESS, WcOpcode.SEND, 0);
      cq.push(i % 3 == 0);
      if (random.nextInt(16) == 0) {
        LockSupport.parkNanos(random.nextInt(20_000));
      }
    }
  }

  private static void consume(Cq cq, int total, SplittableRandom random, Semaphore interrupts, String where)
      throws InterruptedException {
    WorkCompletion[] batch = new WorkCompletion[7];
    for (int i = 0; i < batch.length; i++) {
      batch[i] = new WorkCompletion();
    }
    long next = 0;
    while (next < total) {
      if (cq.arm(false) == CompletionQueue.Armed.ARMED) {
        assertTrue(interrupts.tryAcquire(90, TimeUnit.SECONDS), where + ": lost wake-up at " + next + " of " + total);
      }
      for (int n = cq.poll(batch); n > 0; n = cq.poll(batch)) {
        for (int i = 0; i < n; i++) {
          assertEquals(next++, batch[i].wrId(), where);
        }
        if (random.nextInt(4) == 0) {
          break;
        }
      }
    }
  }

  @Test
  void shouldShareAQueueBetweenThreadsThatPollIt() throws InterruptedException {
    int total = 40_000;
    Cq cq = new Cq(null, null, 128, 1, new CqExAttr(128, ReceiveContext.POLLING, null, false, false), null);
    AtomicBoolean stop = new AtomicBoolean();
    long[] sums = new long[2];
    long[] counts = new long[2];
    Thread[] pollers = new Thread[2];
    for (int t = 0; t < 2; t++) {
      int me = t;
      pollers[t] = Thread.ofPlatform().daemon().start(() -> {
        WorkCompletion wc = new WorkCompletion();
        while (!stop.get() || cq.size() > 0) {
          if (cq.poll(wc)) {
            sums[me] += wc.wrId();
            counts[me]++;
          } else {
            Thread.yield();
          }
        }
      });
    }
    produce(cq, total, new SplittableRandom(5), new AtomicBoolean());
    stop.set(true);
    for (Thread poller : pollers) {
      poller.join(10_000);
    }
    assertEquals(total, counts[0] + counts[1]);
    assertEquals((long) total * (total - 1) / 2, sums[0] + sums[1]);
  }
}
