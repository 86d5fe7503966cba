package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.ActorRef;
import akka.actor.ActorSystem;
import akka.actor.Identify;
import akka.actor.PoisonPill;
import akka.actor.typed.javadsl.Adapter;
import akka.pattern.Patterns;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With a real media driver. */
@Tag("jvms")
@Timeout(240)
class ClusterFabricTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private Path parent;

  @BeforeEach
  void choose() throws Exception {
    parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
  }

  @AfterEach
  void clean() {
    IoUtil.delete(parent.toFile(), true);
  }

  private ClusterFabric start(String overrides) throws Exception {
    Config config = ConfigFactory.parseString(overrides).withFallback(ConfigFactory.load());
    MediaDriverSettings driver = MediaDriverSettings.of(config).withDirectory(parent.resolve("driver"));
    return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(), List.of("fabric"), driver, NodeLink.DIRECT,
        System.err::println), config);
  }

  private static List<String> actorSystemThreads() {
    return Thread.getAllStackTraces().keySet().stream().filter(Thread::isAlive).map(Thread::getName)
        .filter(name -> name.startsWith("weft-")).sorted().toList();
  }

  /** One value is read before the actor system is made, one by the nodes, when all else runs already; the port is the trunks'. */
  @ParameterizedTest
  @ValueSource(strings = {"weft.fabric.switch.virtual-lanes = 99", "weft.hca.inline-max = -1",
      "weft.fabric.trunk { transport = udp, udp-port = TAKEN }"})
  void shouldLeaveNothingBehindWhenItCannotStart(String wrong) throws Exception {
    List<String> before = actorSystemThreads();
    try (DatagramSocket taken = new DatagramSocket(0, InetAddress.getByName("127.0.0.1"))) {
      assertThrows(RuntimeException.class, () -> start(wrong.replace("TAKEN", Integer.toString(taken.getLocalPort()))));
    }
    assertNothingLeft(before);
  }

  private void assertNothingLeft(List<String> before) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      assertEquals(List.of(), files.toList(), "the media driver has ended");
    }
    // Those of pools end soon after what they ran.
    Waits.seen("no threads but " + before, ClusterFabricTest::actorSystemThreads, before::containsAll);
  }

  @Test
  void shouldSayWhyNoNodeCanBeAddedWhereTheFabricIsLost() throws Exception {
    try (ClusterFabric fabric = start("weft.hca.pin-memory = false")) {
      fabric.addNode("a");
      assertTrue(fabric.await(() -> fabric.directory().lookup("a").isPresent(), PATIENCE));
      assertTrue(ProcessHandle.of(fabric.driver().pid()).orElseThrow().destroyForcibly());
      assertTrue(fabric.await(() -> fabric.directory().nodes().isEmpty(), PATIENCE), "the loss of all nodes is told");
      IllegalStateException refused = assertThrows(IllegalStateException.class, () -> fabric.addNode("b"));
      assertTrue(refused.getMessage().startsWith("this JVM has lost the fabric: "), refused.getMessage());
      assertThrows(IllegalStateException.class, () -> fabric.advertise(Advert.of("a", "disk", Map.of())));
    }
  }

  /**
   * When an actor system is terminated, Artery's inbound control stream now and then ends before an outbound one, which it does here at
   * all times. The outbound one then completes instead of failing, and with a message for a dead peer in hand lasts until that is given up.
   */
  @Test
  void shouldEndAlthoughAControlMessageWaitsForADeadPeer() throws Exception {
    ActorSystem system;
    try (ClusterFabric fabric = start("")) {
      system = Adapter.toClassic(fabric.system());
      system.actorSelection("akka://" + ClusterConfig.SYSTEM_NAME + "@127.0.0.99:9/user/nobody").tell(new Identify(0), ActorRef.noSender());
      Thread.sleep(1_000); // By then its handshake waits for somebody to listen there; nothing tells when.
      ActorRef inbound = system.actorSelection("/system/Materializers/*/remoteControl-*").resolveOne(PATIENCE).toCompletableFuture().get();
      assertTrue(Patterns.gracefulStop(inbound, PATIENCE, PoisonPill.getInstance()).toCompletableFuture().get());
    }
    assertTrue(system.getWhenTerminated().toCompletableFuture().isDone());
  }

  @Test
  void shouldTellWhatServicesOfferUntilTheNodeIsGoneAndRefuseWhatCannotBe() throws Exception {
    ClusterFabric fabric = start("weft.hca.pin-memory = false");
    try (fabric) {
      fabric.addNode("a");
      assertThrows(NullPointerException.class, () -> fabric.advertise(null));
      // Many at once are one registration; each is answered.
      List<CompletableFuture<Void>> given = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        given.add(fabric.advertise(Advert.of("a", "disk", Map.of("capacity", Integer.toString(i)))).toCompletableFuture());
      }
      given.getLast().get(90, TimeUnit.SECONDS);
      assertTrue(given.stream().allMatch(CompletableFuture::isDone), "the others were replaced before they were told");
      Optional<Long> last = Optional.of(19_999L); // One that came between may be told before it.
      assertTrue(fabric.await(() -> fabric.directory().adverts("disk").stream().anyMatch(offer -> offer.number("capacity").equals(last)), PATIENCE),
          () -> fabric.directory().adverts("disk").toString());
      CompletableFuture<Void> elsewhere = fabric.advertise(Advert.of("b", "disk", Map.of())).toCompletableFuture();
      assertTrue(assertThrows(ExecutionException.class, () -> elsewhere.get(90, TimeUnit.SECONDS)).getCause().getMessage().contains("no node \"b\""));
      fabric.closeNode("a");
      assertTrue(fabric.await(() -> fabric.directory().adverts("disk").isEmpty(), PATIENCE));
    }
    assertThrows(IllegalStateException.class, () -> fabric.advertise(Advert.of("a", "disk", Map.of())));
  }

  @Test
  void shouldFlushWhatIsOutstandingWhenANodeOrAllIsClosed() throws Exception {
    ClusterFabric fabric = start("weft.hca.pin-memory = false");
    try (fabric) {
      FabricBed a = new FabricBed(fabric.addNode("a"));
      FabricBed b = new FabricBed(fabric.addNode("b"));
      a.connect(b);
      a.postAll();
      b.postAll();
      fabric.closeNode("b");
      assertEquals(FabricBed.SENDS + FabricBed.RECEIVES, b.drain().size());
      b.assertRefusesAllButTheEnd();
      assertEquals(List.of("a"), fabric.nodes().stream().map(Node::name).toList());
      fabric.close();
      a.drain();
      a.assertRefusesAllButTheEnd();
    }
    fabric.close();
    assertThrows(IllegalStateException.class, () -> fabric.addNode("c"));
  }
}
