package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are taken, or are none, in each kind of fabric. */
@Tag("jvms")
@Timeout(180)
class NodeNamesTest {
  private static String refusal(Runnable addNode) {
    return assertThrows(IllegalArgumentException.class, addNode::run).getMessage();
  }

  private static List<String> ports(ActorSystem<?> system, ActorRef<SwitchActor.Command> leaf) {
    return AskPattern.<SwitchActor.Command, SwitchSnapshot>ask(leaf, SwitchActor.Inspect::new, Duration.ofSeconds(10), system.scheduler())
        .toCompletableFuture().join().ports().stream().map(PortSnapshot::name).toList();
  }

  @Test
  void shouldRefuseATakenNameInOneJvmAndLeaveNothing() {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      Node first = fabric.addNode("a");
      assertEquals("there is a node named \"a\" on this fabric already, with LID 1; choose another name", refusal(() -> fabric.addNode("a")));
      assertEquals(List.of("a"), ports(fabric.system(), fabric.leafSwitch()));
      assertEquals(1, first.hca().inspect().lid());
      assertEquals(2, fabric.addNode("b").hca().lid(), "no LID is lost");
    }
  }

  @Test
  void shouldRefuseATakenNameInVirtualTime() {
    try (VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE)) {
      fabric.addNode("a");
      assertTrue(refusal(() -> fabric.addNode("a")).startsWith("there is a node named \"a\" on this fabric already"));
      assertEquals(2, fabric.addNode("b").hca().lid());
      fabric.loseNode("a");
      assertTrue(refusal(() -> fabric.addNode("a")).startsWith("the name \"a\" is in use on this fabric"), "it lives on, cut off");
      fabric.crashNode("a");
      assertNotNull(fabric.addNode("a"), "a new one of that name");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a/b", "$a", "switch", "fabric-agent", "spine-1",
    "a2345678901234567890123456789012345678901234567890123456789012345"})
  void shouldRefuseWhatIsNoName(String name) {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty()); VirtualFabric virtual = VirtualFabric.create(1, LinkFaults.NONE)) {
      assertTrue(refusal(() -> fabric.addNode(name)).startsWith("\"" + name + "\" "));
      assertTrue(refusal(() -> virtual.addNode(name)).startsWith("\"" + name + "\" "));
      assertEquals(1, fabric.addNode("a").hca().lid());
      assertEquals(1, virtual.addNode("a").hca().lid());
    }
  }

  @Test
  @Timeout(240)
  void shouldRefuseANameThatAnotherJvmHasAndLeaveNothing() throws Exception {
    Path parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
    try (ClusterFabric first = start(parent, List.of()); ClusterFabric second = start(parent, List.of(first.address()))) {
      CompletableFuture<String> here = CompletableFuture.supplyAsync(() -> outcome(first), OwnThread::run);
      CompletableFuture<String> there = CompletableFuture.supplyAsync(() -> outcome(second), OwnThread::run);
      String refused = here.join() + there.join();
      assertTrue(refused.matches("there is a node named \"a\".*|node \"a\" was refused: the name \"a\" belongs to a node of JVM .*"), refused);
      assertEquals(1, first.nodes().size() + second.nodes().size());
      ClusterFabric loser = first.nodes().isEmpty() ? first : second;
      refusal(() -> loser.addNode("a"));
      loser.addNode("b");
      assertEquals(List.of("b"), ports(loser.system(), loser.leafSwitch()).stream().filter(name -> name.matches("[ab]")).toList());
    } finally {
      IoUtil.delete(parent.toFile(), true);
    }
  }

  /** Empty if the node was added. */
  private static String outcome(ClusterFabric fabric) {
    try {
      fabric.addNode("a");
      return "";
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
  }

  private static ClusterFabric start(Path parent, List<String> seeds) throws Exception {
    Config config = ConfigFactory.load();
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(parent.resolve("driver"));
    return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, seeds, List.of(), driver, NodeLink.DIRECT, System.err::println), config);
  }
}
