package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.objects.VirtualWaitStrategy;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The synchronous engine in virtual time. */
@Tag("simulation")
class SynchronousVirtualTimeTest {
  @Test
  void shouldReadWhatOtherNodesHaveWritten() {
    Config config = ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.dsm.minipages-max = 1000\nweft.dsm.engine = synchronous");
    try (VirtualFabric fabric = new VirtualFabric(1, new LinkProfile(1_000, 0), LinkFaults.NONE, config)) {
      DsmSettings settings = DsmSettings.from(config.withFallback(ConfigFactory.load()));
      List<DsmNode> nodes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        nodes.add(DsmNode.join(fabric.addNode("host-" + i), "test", "host-0", settings, new VirtualWaitStrategy(fabric), true));
      }
      SharedLongs[] words = new SharedLongs[3];
      for (int i = 0; i < 3; i++) {
        words[i] = nodes.get(i).longs("words", 30, SharingUnit.elements(10));
      }
      for (int round = 0; round < 50; round++) {
        words[round % 3].set(round % 30, round);
        for (SharedLongs each : words) {
          assertEquals(round, each.get(round % 30));
        }
      }
      assertEquals(0, nodes.get(0).inspect().deferrals());
    }
  }
}
