package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorRef;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import akka.dispatch.Envelope;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(120)
class HardwareMailboxTest {
  private static final int CAPACITY = 16;

  private final ActorTestKit kit = ActorTestKit.create("mailbox", ConfigFactory.parseString(
      "weft.hardware-dispatcher.mailbox.mailbox-capacity = " + CAPACITY).withFallback(ConfigFactory.load()));
  private final AtomicInteger rejected = new AtomicInteger();

  @AfterEach
  void stop() {
    kit.shutdownTestKit();
  }

  private final class Numbered implements HardwareMessage {
    final int number;

    Numbered(int number) {
      this.number = number;
    }

    @Override
    public void rejected() {
      rejected.incrementAndGet();
    }
  }

  private Envelope envelope(int number) {
    return new Envelope(new Numbered(number), ActorRef.noSender());
  }

  private static int numberOf(Envelope envelope) {
    return ((Numbered) envelope.message()).number;
  }

  @Test
  void shouldRejectAndFreeWhatComesWhenItIsFullAndKeepTheOrderOfTheRest() {
    HardwareMailbox.Queue queue = new HardwareMailbox.Queue(CAPACITY, ActorRef.noSender());
    assertFalse(queue.hasMessages());
    assertNull(queue.dequeue());
    for (int i = 0; i < CAPACITY + 3; i++) {
      queue.enqueue(ActorRef.noSender(), envelope(i));
    }
    assertEquals(CAPACITY, queue.numberOfMessages());
    assertEquals(3, rejected.get());
    assertEquals(3, queue.rejected());
    assertEquals(0, numberOf(queue.dequeue()));
    queue.enqueue(ActorRef.noSender(), envelope(CAPACITY));
    queue.enqueue(ActorRef.noSender(), envelope(-1));
    assertEquals(4, queue.rejected(), "there was room for one");
    for (int i = 1; i <= CAPACITY; i++) {
      assertTrue(queue.hasMessages());
      assertEquals(i, numberOf(queue.dequeue()));
    }
    assertFalse(queue.hasMessages());
    assertNull(queue.dequeue());
  }

  @Test
  void shouldDeliverTheMessagesOfEachSenderInOrderAndNeverHoldTooMany() throws InterruptedException {
    int senders = 3;
    int each = 100_000;
    HardwareMailbox.Queue queue = new HardwareMailbox.Queue(CAPACITY, ActorRef.noSender());
    Thread[] threads = new Thread[senders];
    for (int sender = 0; sender < senders; sender++) {
      int first = sender * each;
      threads[sender] = Thread.ofPlatform().daemon().start(() -> {
        for (int i = 0; i < each; i++) {
          while (i % 1_000 != 0 && queue.numberOfMessages() >= CAPACITY) { // So that only a few are rejected.
            Thread.onSpinWait();
          }
          queue.enqueue(ActorRef.noSender(), envelope(first + i));
        }
      });
    }
    int[] next = new int[senders];
    long received = 0;
    boolean alive = true;
    while (alive) {
      alive = false;
      for (Thread thread : threads) {
        alive |= thread.isAlive();
      }
      assertTrue(queue.numberOfMessages() <= CAPACITY);
      for (Envelope envelope = queue.dequeue(); envelope != null; envelope = queue.dequeue()) {
        int number = numberOf(envelope);
        assertTrue(number % each >= next[number / each], "out of order");
        next[number / each] = number % each + 1;
        received++;
      }
    }
    assertEquals((long) senders * each, received + queue.rejected());
  }

  @Test
  void shouldBoundTheMailboxOfAHardwareActorAndGiveTheRestToDeadLetters() throws InterruptedException {
    TestProbe<Integer> heard = kit.createTestProbe();
    TestProbe<akka.actor.DeadLetter> lost = kit.createTestProbe(akka.actor.DeadLetter.class);
    Adapter.toClassic(kit.system()).eventStream().subscribe(Adapter.toClassic(lost.getRef()), akka.actor.DeadLetter.class);
    CountDownLatch told = new CountDownLatch(1);
    akka.actor.typed.ActorRef<HardwareMessage> actor = kit.system().systemActorOf(Behaviors.<HardwareMessage>setup(context -> {
      for (int i = 0; i < CAPACITY + 2; i++) {
        context.getSelf().tell(new Numbered(i));
      }
      told.countDown();
      return Behaviors.receiveMessage(message -> {
        heard.getRef().tell(((Numbered) message).number);
        return Behaviors.same();
      });
    }), "hardware", HardwareDispatcher.SELECTOR);
    told.await();
    for (int i = 0; i < CAPACITY; i++) {
      heard.expectMessage(i);
    }
    heard.expectNoMessage(Duration.ofMillis(50));
    assertEquals(2, rejected.get());
    assertEquals(CAPACITY, ((Numbered) lost.receiveMessage().message()).number);
    actor.tell(new Numbered(77));
    heard.expectMessage(77);
  }
}
