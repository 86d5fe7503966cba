package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Roles in each context, in real time. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class RoleContextTest {
  private static final int BLOCKING_THREADS = 4;

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Node node = fabric.addNode("n");
  private final LinkedBlockingQueue<String> got = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    fabric.close();
  }

  /** Says on which thread it gets what. */
  private ActorRef<Integer> role(String name, RoleContext context) {
    return node.spawnRole(Behaviors.receiveMessage(message -> {
      got.add(message + " " + (fabric.isHardwareThread() ? "hardware" : Thread.currentThread().getName()));
      return message < 0 ? Behaviors.stopped() : Behaviors.same();
    }), name, context);
  }

  private String next() throws InterruptedException {
    String said = got.poll(90, TimeUnit.SECONDS);
    assertTrue(said != null, "the role got nothing in 20 s");
    return said;
  }

  @ParameterizedTest
  @EnumSource(RoleContext.class)
  void shouldRunWhereItsContextSaysAndInOrder(RoleContext context) throws Exception {
    ActorRef<Integer> role = role("r", context);
    String thread = switch (context) {
      case ISR -> "hardware";
      case TASK_QUEUE -> "weft-task-queue";
      case PROCESS -> "weft-akka.actor.default-dispatcher-.*";
      case POLLING -> "weft-polling";
      case BLOCKING -> "weft-weft.context.blocking-.*";
    };
    for (int i = 0; i < 1000; i++) {
      role.tell(i);
    }
    for (int i = 0; i < 1000; i++) {
      String said = next();
      assertTrue(said.matches(i + " " + thread), said);
    }
  }

  @ParameterizedTest
  @EnumSource(RoleContext.class)
  void shouldStartAnotherOfItsNameAfterItHasEnded(RoleContext context) throws Exception {
    for (int i = 0; i < 3; i++) {
      ActorRef<Integer> role = role("r", context);
      role.tell(-1);
      assertTrue(next().startsWith("-1 "));
      assertTrue(fabric.await(() -> node.elements().size() == 2, Duration.ofSeconds(90)));
    }
  }

  @ParameterizedTest
  @EnumSource(RoleContext.class)
  void shouldFailAloneWithAnErrorToo(RoleContext context) throws Exception {
    ActorRef<String> failing = node.spawnRole(Behaviors.receiveMessage(message -> {
      throw new StackOverflowError(message); // Akka takes it for none of the actor's.
    }), "failing", context);
    ActorRef<Integer> other = role("other", context);
    failing.tell("on purpose");
    assertTrue(fabric.await(() -> node.elements().stream().anyMatch(NodeElement::hasFailed), Duration.ofSeconds(90)));
    other.tell(7);
    assertTrue(next().startsWith("7 "));
  }

  /** What holds one of their threads holds up neither the hardware nor the other roles that may wait. */
  @Test
  void shouldLetRolesWaitInBlockingContext() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch waiting = new CountDownLatch(BLOCKING_THREADS - 1);
    try {
      for (int i = 0; i < BLOCKING_THREADS - 1; i++) {
        node.spawnRole(Behaviors.setup(context -> {
          waiting.countDown();
          go.await();
          return Behaviors.empty();
        }), "waits-" + i, RoleContext.BLOCKING);
      }
      assertTrue(waiting.await(90, TimeUnit.SECONDS));
      node.hca().allocPd();
      role("r", RoleContext.BLOCKING).tell(1);
      assertTrue(next().startsWith("1 "));
    } finally {
      go.countDown();
    }
  }

  @Test
  void shouldEndWithItsFabricWhileItIsTold() throws Exception {
    List<ActorRef<Integer>> roles = new ArrayList<>();
    for (RoleContext context : RoleContext.values()) {
      roles.add(role(context.configName(), context));
    }
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread teller = Thread.ofPlatform().uncaughtExceptionHandler((thread, e) -> thrown.set(e)).start(() -> {
      for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
        int number = i;
        roles.forEach(role -> role.tell(number));
        got.clear();
      }
    });
    fabric.close();
    teller.interrupt();
    teller.join();
    assertNull(thrown.get());
    assertThrows(RuntimeException.class, () -> role("later", RoleContext.PROCESS));
  }

  @Test
  void shouldSayWhichContextsThereAre() {
    String said = assertThrows(IllegalArgumentException.class,
        () -> RoleContext.of("weft.x", ConfigFactory.parseString("context = interrupt"))).getMessage();
    assertEquals("weft.x.context is interrupt, must be one of isr, task-queue, process, polling, blocking", said);
    for (RoleContext context : RoleContext.values()) {
      assertEquals(context, RoleContext.of("weft.x", ConfigFactory.parseString("context = " + context.configName())));
    }
  }
}
