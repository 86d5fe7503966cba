package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The link of one of three nodes carries nothing for a while, in virtual time; word n of an array has its home and its only copy at node n. */
@Tag("simulation")
class PartitionTest {
  private static final long LONG_NS = 120_000_000_000L;

  private final VirtualFabric fabric = new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final List<DsmParts> parts = new ArrayList<>();
  private final List<ActorRef<NodeCommand>> actors = new ArrayList<>();

  @BeforeEach
  void start() {
    for (String name : List.of("host", "one", "two")) {
      DsmParts own = ActorSpace.parts(fabric.addNode(name));
      parts.add(own);
      actors.add(own.node().spawnRole(DsmNodeActor.create(own), "dsm-test", RoleContext.ISR));
      assertEquals(actors.size() - 1, wants(actors.size() - 1, new Wait.OfJoin()).number);
    }
    fabric.system().runFor(1_000_000); // Until the first node knows that they have joined.
    wants(0, new Wait.OfObject(ObjectSpec.wanted(Kind.LONGS, "words", 3, SharingUnit.bytes(8)), 0)).check();
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private <W extends Wait> W wants(int node, W wait) {
    actors.get(node).tell(wait);
    fabric.system().runUntil(wait::isOver, 1_000_000_000L);
    return wait;
  }

  /** Each wants what the others have, so that all have something to send. */
  private void shouldBeCutOff(int node) {
    String name = parts.get(node).node().name();
    fabric.link(name).setPartitioned(true);
    List<Fault> faults = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Fault fault = new Fault(i == node ? (node + 1) % 3 : node, Rights.READ);
      faults.add(fault);
      actors.get(i).tell(fault);
    }
    fabric.system().runFor(LONG_NS);
    assertNotNull(parts.get(node).ended().why());
    assertTrue(parts.get(node).ended().why().contains("have declared it lost and go on without it"), parts.get(node).ended().why());
    assertTrue(faults.stream().allMatch(Wait::isOver), "nobody waits");
    for (int i = 0; i < 3; i++) {
      if (i != node) {
        assertNull(parts.get(i).ended().why(), "the larger side goes on");
        wants(i, new Fault(3 - i - node, Rights.WRITE)).check();
      }
    }
  }

  @Test
  void shouldEndTheOneThatIsCutOff() {
    shouldBeCutOff(2);
  }

  @Test
  void shouldEndTheFirstNodeWhenItIsCutOff() {
    shouldBeCutOff(0);
  }

  /** Nodes 0 and 2 lose each other because of a message that cannot be; nobody else has anything against either. */
  @Test
  void shouldLeaveOneMemoryWhenTwoNodesLoseEachOther() {
    fabric.link("two").setPartitioned(true, false); // What it sends is lost, and it hears all.
    actors.get(2).tell(new Fault(0, Rights.READ));
    fabric.system().runFor(LONG_NS);
    fabric.link("two").setPartitioned(false);
    fabric.system().runFor(LONG_NS);
    assertNotNull(parts.get(2).ended().why());
    assertNull(parts.get(0).ended().why());
    assertNull(parts.get(1).ended().why());
  }
}
