package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.AskPattern;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.hca.cm.CmActor;
import dev.weft.hca.cm.CmSnapshot;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.device.HcaActor;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An actor of a node throws, or is told what it does not understand. */
@Tag("actor")
@Timeout(180)
class FailingElementTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Without it the HCA, or its node's connections, cannot go on. */
  private enum Element {
    HCA("hca"),
    CM("cm"),
    /** By an error that Akka takes for none of the actor's. */
    CM_OVERFLOWS("cm"),
    CQ("hca"),
    /** What fails goes on to fail while the HCA ends. */
    WATCHER("hca");

    final String failed;

    Element(String failed) {
      this.failed = failed;
    }
  }

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
  private final Node nodeA = fabric.addNode("a");
  private final Node nodeB = fabric.addNode("b");

  @AfterEach
  void close() {
    fabric.close();
  }

  private static String failureOf(Node node, String element) {
    return node.elements().stream().filter(e -> e.name().equals(element) && e.hasFailed()).findFirst().map(NodeElement::failure).orElse(null);
  }

  private void fail(Element element, FabricBed bed) {
    switch (element) {
      case HCA -> bed.hca.actor().tell(new HcaActor.Inspect(null));
      case CM -> bed.node.cm().actor().tell(CmActor.settle(() -> {
        throw new IllegalStateException("on purpose");
      }));
      case CM_OVERFLOWS -> bed.node.cm().actor().tell(CmActor.settle(() -> {
        throw new StackOverflowError("on purpose");
      }));
      case CQ, WATCHER -> {
        FabricBed failing = new FabricBed(bed.node, ReceiveContext.ISR, cq -> {
          if (element == Element.CQ) {
            throw new AssertionError("on purpose");
          }
        });
        FabricBed peer = new FabricBed(nodeB);
        failing.connect(peer);
        if (element == Element.WATCHER) {
          failing.cq.watch(() -> {
            throw new IllegalStateException("on purpose");
          });
          failing.qp.postReceive(new ReceiveRequest().receive(2).sge(failing.mr, 0, 64)); // Is flushed when the HCA ends.
        }
        failing.cq.arm(false);
        peer.qp.postReceive(new ReceiveRequest().receive(1).sge(peer.mr, 0, 64));
        failing.qp.postSend(new WorkRequest().send().sge(failing.mr, 0, 64).signaled());
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Element.class)
  void shouldEndTheDeviceAndTellEverybodyWhenOneOfItsElementsFails(Element element) throws Exception {
    FabricBed a = new FabricBed(nodeA);
    FabricBed b = new FabricBed(nodeB);
    Said atA = new Said();
    Said atB = new Said();
    Said.connect(a, atA, b, atB);
    a.postAll();
    fail(element, a);
    assertTrue(fabric.await(a.hca::isClosed, PATIENCE));
    assertFalse(atA.disconnected.get(90, TimeUnit.SECONDS));
    assertFalse(atB.disconnected.get(90, TimeUnit.SECONDS));
    assertTrue(fabric.await(() -> failureOf(nodeA, element.failed) != null, PATIENCE));
    a.assertFlushed();
    boolean told = false;
    for (AsyncEvent event = a.hca.pollAsyncEvent(); event != null; event = a.hca.pollAsyncEvent()) {
      told |= event.type() == AsyncEvent.Type.DEVICE_FATAL;
    }
    assertTrue(told);
    FabricBed.assertRefused(a.hca::allocPd);
    FabricBed.assertRefused(() -> nodeA.cm().connect("b", "echo", a.qp, ConnectionOptions.DEFAULT, null, new Said()));

    FabricBed c = new FabricBed(fabric.addNode("c"));
    FabricBed again = new FabricBed(nodeB);
    nodeB.cm().unlisten("echo");
    Said.connect(c, new Said(), again, new Said());
    assertTrue(nodeB.elements().stream().noneMatch(NodeElement::hasFailed), () -> nodeB.elements().toString());
  }

  @Test
  void shouldEndARoleThatFailsAloneAndForgetItWithTheNextOfItsName() throws Exception {
    CompletableFuture<String> got = new CompletableFuture<>();
    ActorRef<String> role = nodeA.spawnRole(Behaviors.receiveMessage(message -> {
      throw new IllegalStateException(message);
    }), "role");
    assertEquals(List.of("hca", "cm", "role"), nodeA.elements().stream().map(NodeElement::name).toList());
    role.tell("on purpose");
    assertTrue(fabric.await(() -> failureOf(nodeA, "role") != null, PATIENCE));
    assertEquals("java.lang.IllegalStateException: on purpose", failureOf(nodeA, "role"));
    nodeA.hca().allocPd();
    nodeA.<String>spawnRole(Behaviors.receiveMessage(message -> {
      got.complete(message);
      return Behaviors.stopped();
    }), "role").tell("hello");
    assertEquals("hello", got.get(90, TimeUnit.SECONDS));
    assertTrue(fabric.await(() -> nodeA.elements().size() == 2, PATIENCE), "one that ended as it should is forgotten");
  }

  @Test
  void shouldCountWhatItDoesNotUnderstandAndGoOn() throws Exception {
    HardwareMessage unknown = new SwitchActor.ClearRoute(1);
    for (int i = 0; i < 3; i++) {
      nodeA.hca().actor().tell(unknown);
      nodeA.cm().actor().tell(unknown);
    }
    assertEquals(3, nodeA.hca().inspect().counters().unknownMessages());
    CmSnapshot cm = AskPattern.<HardwareMessage, CmSnapshot>ask(nodeA.cm().actor(), CmActor.Inspect::new, PATIENCE,
        fabric.system().scheduler()).toCompletableFuture().get(90, TimeUnit.SECONDS);
    assertEquals(3, cm.unknownMessages());
    Said.connect(new FabricBed(nodeA), new Said(), new FabricBed(nodeB), new Said());
  }

  @Test
  void shouldShowItsConnections() throws Exception {
    FabricBed a = new FabricBed(nodeA);
    Said.connect(a, new Said(), new FabricBed(nodeB), new Said());
    CmSnapshot cm = AskPattern.<HardwareMessage, CmSnapshot>ask(nodeA.cm().actor(), CmActor.Inspect::new, PATIENCE,
        fabric.system().scheduler()).toCompletableFuture().get(90, TimeUnit.SECONDS);
    assertEquals(List.of(new CmSnapshot.Entry(cm.connections().getFirst().id(), "b", "ESTABLISHED", a.qp.qpNum())), cm.connections());
    assertEquals(List.of(), cm.services());
  }
}
