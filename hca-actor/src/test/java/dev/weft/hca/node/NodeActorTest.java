package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.DispatcherSelector;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.verbs.Hca;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class NodeActorTest {
  /** A fabric where the way to LID 7 carries 300 bytes. */
  private static final class NarrowDirectory extends EmptyDirectory {
    @Override
    public int pathMtuToLid(int lid) {
      return lid == 7 ? 300 : Integer.MAX_VALUE;
    }
  }

  @Test
  void shouldLetItsHcaKnowWhatTheDirectorySaysOfTheWayToALid() {
    try (VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE)) {
      VirtualSystem system = fabric.system();
      DispatcherSelector dispatcher = DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH);
      NodeSpec spec = NodeSpec.of(fabric.config(), system.context(), new NarrowDirectory(), new StaticGroups(fabric.leafSwitch()),
          fabric.leafSwitch(), dispatcher, () -> true, new FreeContexts(system.system().executionContext()), 2000);
      LinkProfile profile = new LinkProfile(1_000, 10_000_000_000L);
      SimulatedLink link = new SimulatedLink(system.context(), profile, profile, LinkFaults.NONE, spec.virtualLanes(),
          system.faultRandom());
      Hca[] hca = new Hca[1];
      system.spawn(NodeActor.create("n", 5, spec, NodeLink.simulated(link), ported -> hca[0] = ported.node().hca()), "n", dispatcher);
      assertTrue(system.runUntil(() -> hca[0] != null, 1_000_000_000L));

      assertEquals(1024, hca[0].portMtuBytes(), "the largest power of two that the links carry");
      assertEquals(300, hca[0].datagramMaxBytes(7));
      assertEquals(1024, hca[0].datagramMaxBytes(8));
    }
  }
}
