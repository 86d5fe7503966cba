package dev.weft.hca.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.BehaviorTestKit;
import akka.actor.testkit.typed.javadsl.TestInbox;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveContexts;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The protocol of a completion queue's interrupt, message by message: the HCA pushes completions, the queue tells its actor once for each
 * time that it was armed, the actor has the handler called in the consumer's receive context. In the first half the actor is an inbox, in
 * the second half the receive contexts are a list.
 */
@Timeout(180)
class CqProtocolTest {
  private static final int CAPACITY = 8;

  private final List<String> calls = new ArrayList<>();
  private final TestInbox<CqActor.Command> actor = TestInbox.create("cq-1");
  private final Cq cq = new Cq(null, null, CAPACITY, 1,
      new CqExAttr(CAPACITY, ReceiveContext.TASK_QUEUE, queue -> calls.add("handler"), false, false), null);

  /** Receive contexts that do nothing by themselves. */
  private final class Listed implements ReceiveContexts {
    final List<Runnable> handlers = new ArrayList<>();

    @Override
    public void run(ReceiveContext context, Runnable handler) {
      calls.add(context.name());
      handlers.add(handler);
    }

    @Override
    public void defer(Runnable work) {
      throw new AssertionError("nothing is deferred here");
    }

    @Override
    public PollLoop pollLoop(String name, CompletionQueue queue, Runnable work) {
      throw new AssertionError("nobody polls here");
    }
  }

  private void push(boolean solicited) {
    cq.claim();
    cq.push(solicited);
  }

  private void told(int times) {
    assertEquals(times, actor.getAllReceived().stream().filter(CqActor.NOTIFY::equals).count());
  }

  // ---- the queue and its actor

  @Test
  void shouldTellOnceForEachTimeThatItWasArmed() {
    cq.startActor(actor.getRef());
    push(false);
    told(0);
    assertEquals(CompletionQueue.Armed.COMPLETIONS_WAITING, cq.arm(false));
    push(false);
    push(false);
    told(1);
    cq.arm(false);
    cq.arm(false);
    push(false);
    told(1);
  }

  @Test
  void shouldWaitForASolicitedCompletionWhereItWasAskedTo() {
    cq.startActor(actor.getRef());
    assertEquals(CompletionQueue.Armed.ARMED, cq.arm(true));
    push(false);
    told(0);
    push(true);
    push(true);
    told(1);
    cq.arm(true);
    cq.arm(false); // Any wins over solicited only, and stays.
    cq.arm(true);
    push(false);
    told(1);
  }

  @Test
  void shouldTellNothingAfterItWasDisarmedAndAgainWhenAskedTo() {
    cq.startActor(actor.getRef());
    cq.arm(false);
    assertTrue(cq.disarm());
    assertFalse(cq.disarm());
    push(true);
    told(0);
    cq.notifyAgain();
    told(1);
  }

  @Test
  void shouldKeepANotificationForAnActorThatIsNotThereYet() {
    cq.arm(false);
    push(false);
    told(0);
    cq.startActor(actor.getRef());
    told(1);
    push(false);
    told(0);
  }

  @Test
  void shouldTellItsActorOfTheEndOnce() {
    cq.startActor(actor.getRef());
    cq.stopActor();
    assertEquals(List.of(CqActor.DESTROYED), actor.getAllReceived());
  }

  // ---- a queue that belongs to an actor

  @Test
  void shouldTellTheActorThatItBelongsToOnceForEachTimeThatItWasArmed() {
    TestInbox<String> role = TestInbox.create("role");
    Cq own = new Cq(null, null, CAPACITY, 2,
        new CqExAttr(CAPACITY, ReceiveContext.ISR, new ActorNotice<>(role.getRef(), "notice"), false, false), null);
    assertFalse(own.hasActor(), "nobody stands between them");
    own.claim();
    own.push(true);
    assertFalse(role.hasMessages());
    own.arm(false);
    own.claim();
    own.push(true);
    own.claim();
    own.push(true);
    assertEquals(List.of("notice"), role.getAllReceived());
    assertEquals(1, own.notifications());
    own.notifyAgain();
    assertEquals(List.of("notice"), role.getAllReceived());
    own.arm(true);
    own.beginEnd();
    own.claim();
    own.push(true);
    assertFalse(role.hasMessages(), "the HCA ends: not before everything is flushed");
    own.notifyOfEnd(null);
    assertEquals(List.of("notice"), role.getAllReceived());
  }

  // ---- the actor and the receive contexts

  @Test
  void shouldHaveTheHandlerCalledInTheConsumersContextOnceForEachNotification() {
    Listed contexts = new Listed();
    BehaviorTestKit<CqActor.Command> interrupt = BehaviorTestKit.create(CqActor.create(cq, contexts));
    interrupt.run(CqActor.NOTIFY);
    assertEquals(List.of("TASK_QUEUE"), calls, "it is called there, and not here");
    contexts.handlers.forEach(Runnable::run);
    assertEquals(List.of("TASK_QUEUE", "handler"), calls);
    interrupt.run(CqActor.NOTIFY);
    assertEquals(2, contexts.handlers.size());
    interrupt.run(CqActor.DESTROYED);
    assertFalse(interrupt.isAlive());
  }
}
