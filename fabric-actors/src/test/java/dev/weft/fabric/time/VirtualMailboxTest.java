package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import akka.actor.ActorCell;
import akka.actor.ActorRefWithCell;
import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.Behaviors;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class VirtualMailboxTest {
  @Test
  void shouldBeTheMailboxOfTypedActorsAndTheirChildren() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      List<ActorRef<?>> actors = new ArrayList<>();
      actors.add(virtual.spawn(Behaviors.setup(context -> {
        actors.add(context.spawn(Behaviors.ignore(), "child"));
        return Behaviors.ignore();
      }), "parent"));
      virtual.runUntilIdle(1_000);
      assertEquals(2, actors.size());
      for (ActorRef<?> actor : actors) {
        ActorCell cell = (ActorCell) ((ActorRefWithCell) Adapter.toClassic(actor)).underlying();
        assertInstanceOf(VirtualMailbox.Queue.class, cell.mailbox().messageQueue(), actor.path().toString());
      }
    }
  }

  @Test
  void shouldKeepTheOrderOfMessagesWhileItGrowsAndWraps() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      List<Integer> seen = new ArrayList<>();
      ActorRef<Integer> actor = virtual.spawn(Behaviors.receiveMessage(number -> {
        seen.add(number);
        return Behaviors.same();
      }), "actor");
      SplittableRandom random = new SplittableRandom(1);
      int told = 0;
      for (int round = 0; round < 200; round++) {
        for (int burst = random.nextInt(40); burst > 0; burst--) {
          actor.tell(told++);
        }
        long until = virtual.eventsRun() + random.nextInt(40);
        virtual.runUntil(() -> virtual.eventsRun() >= until, 1);
      }
      virtual.runUntilIdle(1_000_000);
      assertEquals(IntStream.range(0, told).boxed().toList(), seen);
    }
  }
}
