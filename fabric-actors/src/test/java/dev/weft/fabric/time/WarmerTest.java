package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareActor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class WarmerTest {
  private static final int ACTORS = 3 * Warmer.BATCH_MAX;
  private static final int ROUNDS = 20;

  private static final class Looking extends HardwareActor<Integer> {
    final List<Integer> looks = new ArrayList<>();
    final List<Integer> messages = new ArrayList<>();

    @Override
    public int look(Integer message) {
      assertEquals(messages.size(), message, "the next message");
      looks.add(message);
      return 1;
    }

    @Override
    protected Behavior<Integer> onMessage(Integer message) {
      messages.add(message);
      return message == ROUNDS - 1 ? Behaviors.stopped() : Behaviors.same();
    }
  }

  @Test
  void shouldLookAtWhatManyActorsWillReadAndChangeNothing() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      List<Looking> actors = new ArrayList<>();
      for (int i = 0; i < ACTORS; i++) {
        Looking actor = new Looking();
        actors.add(actor);
        ActorRef<Integer> ref = virtual.spawn(actor, "actor-" + i);
        for (int round = 0; round < ROUNDS; round++) {
          virtual.timers().at(1_000 + round, ref, round);
        }
      }
      virtual.runUntilIdle(1_000_000);
      long looks = 0;
      for (Looking actor : actors) {
        assertEquals(IntStream.range(0, ROUNDS).boxed().toList(), actor.messages);
        looks += actor.looks.size();
      }
      assertTrue(looks > ACTORS * ROUNDS / 4, looks + " looks");
    }
  }

  @Test
  void shouldNotLookWhereActorsAreFew() {
    try (VirtualSystem virtual = VirtualSystem.create(1)) {
      Looking actor = new Looking();
      ActorRef<Integer> ref = virtual.spawn(actor, "actor");
      virtual.timers().at(1_000, ref, 0);
      virtual.runUntilIdle(1_000);
      assertEquals(List.of(0), actor.messages);
      assertEquals(List.of(), actor.looks);
    }
  }
}
