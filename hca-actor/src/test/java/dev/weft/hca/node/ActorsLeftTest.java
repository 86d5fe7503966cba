package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Tag("actor")
@Timeout(180)
class ActorsLeftTest {
  @Test
  void shouldNameTheActorsOfASystem() {
    ActorSystem<Void> system = ActorSystem.create(Behaviors.setup(root -> {
      root.spawn(Behaviors.empty(), "lingering");
      return Behaviors.empty();
    }), "tree", ConfigFactory.parseString("akka.stdout-loglevel = OFF").withFallback(ConfigFactory.load()));
    try {
      String left = ActorsLeft.of(system);
      while (!left.contains("lingering")) { // the root starts on a thread of its own
        left = ActorsLeft.of(system);
      }
      assertTrue(left.contains("\n") && left.contains("system") && left.contains("status="), left);
    } finally {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().orTimeout(90, TimeUnit.SECONDS).join();
    }
  }

  @Test
  void shouldCutLongLinesAndCountThoseBeyondTheLimit() {
    String tree = IntStream.range(0, 1000).mapToObj(i -> "actor " + i + "x".repeat(500)).collect(Collectors.joining("\n"));
    String left = ActorsLeft.bounded(tree);
    assertTrue(left.length() < 30_000, () -> "length " + left.length());
    assertTrue(left.contains("actor 119x") && !left.contains("actor 120x"), left);
    assertTrue(left.endsWith("\n... and 880 lines more"), left);
    assertFalse(ActorsLeft.bounded("one").contains("more"));
    assertEquals("\none", ActorsLeft.bounded("one"));
  }
}
