package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class BrakesTest {
  private enum Branch {
    TAKEN
  }

  private final List<String> heard = new ArrayList<>();

  private Behavior<String> listener(VirtualSystem system) {
    return Behaviors.receiveMessage(text -> {
      heard.add(system.nowNs() + " " + text);
      return Behaviors.same();
    });
  }

  private Behavior<String> parent(VirtualSystem system, List<ActorRef<String>> children) {
    return Behaviors.setup(context -> {
      children.add(context.spawn(listener(system), "child"));
      return listener(system);
    });
  }

  @Test
  void shouldKeepWhatAPausedActorAndItsChildrenAreTold() {
    try (VirtualSystem system = VirtualSystem.create(1)) {
      List<ActorRef<String>> children = new ArrayList<>();
      ActorRef<String> node = system.spawn(parent(system, children), "node");
      ActorRef<String> other = system.spawn(listener(system), "node2");
      system.runFor(1);
      system.pause("/user/node");
      node.tell("a");
      children.getFirst().tell("b");
      system.timers().at(50, children.getFirst(), "c");
      other.tell("d");
      system.runFor(99);
      assertEquals(List.of("1 d"), heard);
      system.resume("/user/node");
      system.runFor(1);
      assertEquals(List.of("1 d", "100 a", "100 b", "100 c"), heard.stream().sorted().toList());
    }
  }

  @Test
  void shouldChargeASlowActorForEachMessage() {
    try (VirtualSystem system = VirtualSystem.create(1)) {
      ActorRef<String> actor = system.spawn(listener(system), "slow");
      system.runFor(0);
      system.slow("/user/slow", 10);
      actor.tell("a");
      actor.tell("b");
      system.runFor(100);
      assertEquals(List.of("10 a", "20 b"), heard);
      assertThrows(IllegalArgumentException.class, () -> system.slow("/user/slow", 0));
      actor.tell("c");
      system.runFor(5);
      system.resume("/user/slow");
      system.runFor(1);
      assertEquals("105 c", heard.getLast(), "what waits does not wait any longer");
    }
  }

  @Test
  void shouldStopAlthoughActorsArePaused() {
    try (VirtualSystem system = VirtualSystem.create(1)) {
      ActorRef<String> node = system.spawn(listener(system), "node");
      system.runFor(0);
      system.pause("/user/node");
      node.tell("a");
      system.runFor(10);
      assertEquals(List.of(), heard);
    }
  }

  @Test
  void shouldCountMarksOnlyWhileASimulationRuns() {
    Marks marks = new Marks();
    Marks.hit(Branch.TAKEN);
    marks.during(() -> Marks.hit(Branch.TAKEN));
    Marks.hit(Branch.TAKEN);
    assertEquals(Map.of("TAKEN", 1L), marks.counts());
  }
}
