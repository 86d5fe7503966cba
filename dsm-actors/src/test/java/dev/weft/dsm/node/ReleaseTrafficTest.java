package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.objects.VirtualWaitStrategy;
import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.FabricShape;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What releases put on the sender's link, and how long they take, in virtual time: the same for each run. */
@Tag("slow")
@Tag("simulation")
@Timeout(120)
class ReleaseTrafficTest {
  private static final int WORDS = 2048;
  private static final LinkProfile LINK = new LinkProfile(1_000, 10_000_000_000L);

  /** What one release has cost, on the average. */
  private record Cost(double packets, double bytes, double ns) {}

  private static Config config(boolean multicast) {
    return ConfigFactory.parseString("weft.dsm.memory = 8 MiB\nweft.dsm.minipages-max = 1000\nweft.hca.path-mtu-max = 4096\n"
        + "weft.dsm.release.multicast.enabled = " + multicast);
  }

  private static final class Run implements AutoCloseable {
    final VirtualFabric fabric;
    final List<DsmNode> nodes = new ArrayList<>();
    final List<SharedLongs> words = new ArrayList<>();
    long packets;
    long bytes;

    Run(VirtualFabric fabric, int copies, Config config) {
      this.fabric = fabric;
      DsmSettings settings = DsmSettings.from(config.withFallback(ConfigFactory.load()));
      for (int i = 0; i <= copies; i++) {
        nodes.add(DsmNode.join(fabric.addNode("host-" + i), "test", "host-0", settings, new VirtualWaitStrategy(fabric), true));
      }
      for (DsmNode node : nodes) {
        words.add(node.longs("words", WORDS, SharingUnit.whole(), Consistency.RELEASE));
        assertEquals(0, words.getLast().get(0));
      }
      fabric.system().runFor(50_000_000);
      fabric.link("host-0").observe((isFromNode, packet, fate, arrivalNs) -> {
        packets += isFromNode ? 1 : 0;
        bytes += isFromNode ? packet.wireLength() : 0;
      });
    }

    /** One node writes so many words, and all look at them. */
    Cost release(int changed, int times) {
      long ns = 0;
      long packetsBefore = packets;
      long bytesBefore = bytes;
      for (int i = 1; i <= times; i++) {
        for (int word = 0; word < changed; word++) {
          words.getFirst().set(word, (long) i * WORDS + word);
        }
        long startNs = fabric.system().nowNs();
        nodes.getFirst().release();
        ns += fabric.system().nowNs() - startNs;
        for (SharedLongs each : words) {
          for (int word = 0; word < changed; word++) {
            assertEquals((long) i * WORDS + word, each.get(word));
          }
        }
        fabric.system().runFor(2_000_000);
      }
      return new Cost((double) (packets - packetsBefore) / times, (double) (bytes - bytesBefore) / times, (double) ns / times);
    }

    ReleaseCounts counts() {
      return nodes.getFirst().inspect().release();
    }

    @Override
    public void close() {
      fabric.close();
    }
  }

  private static Cost cost(int copies, int changed, boolean multicast) {
    try (Run run = new Run(new VirtualFabric(1, LINK, LinkFaults.NONE, config(multicast)), copies, config(multicast))) {
      Cost cost = run.release(changed, 10);
      assertEquals(multicast && copies > 1, run.counts().multicasts() > 0);
      assertEquals(0, run.counts().asked());
      System.out.println(String.format(Locale.ROOT, "%d copies, %d words changed, %s: %.1f packets, %.0f bytes, %.1f us", copies, changed,
          multicast ? "multicast" : "unicast", cost.packets, cost.bytes, cost.ns / 1_000));
      return cost;
    }
  }

  @Test
  void shouldPutABatchOnTheLinkOnceForAllCopies() {
    for (int changed : new int[] {1, WORDS}) {
      Cost one = cost(1, changed, false);
      for (int copies : new int[] {1, 2, 3, 7}) {
        Cost unicast = cost(copies, changed, false);
        Cost multicast = cost(copies, changed, true);
        assertTrue(unicast.bytes > 0.9 * copies * one.bytes, "unicast: " + unicast + " for " + copies);
        if (changed == WORDS) {
          assertTrue(multicast.bytes < 1.2 * one.bytes, "multicast: " + multicast + " for " + copies);
        } else {
          assertTrue(multicast.bytes <= unicast.bytes && multicast.packets <= unicast.packets, multicast + " against " + unicast);
        }
        assertTrue(multicast.ns <= unicast.ns, multicast + " against " + unicast);
      }
    }
  }

  @Test
  void shouldRepairWhatLinksLose() {
    LinkFaults faults = new LinkFaults(0.05, 0.05, 0.05, 0, 20_000);
    Config config = config(true).withFallback(ConfigFactory.parseString("weft.hca.path-mtu-max = 1024"));
    try (Run run = new Run(new VirtualFabric(3, LINK, LinkFaults.NONE, config), 3, config)) {
      run.fabric.setFaults(faults);
      run.release(WORDS, 30);
      ReleaseCounts counts = run.counts();
      assertTrue(counts.multicasts() >= 30 && counts.repairs() > 5, counts.toString());
    }
  }

  @Test
  void shouldUseTheConnectionsInATreeOfSwitches() {
    Config config = config(true);
    try (Run run = new Run(new VirtualFabric(1, LINK, FabricShape.fatTree(2, 1), LinkFaults.NONE, config), 3, config)) {
      run.release(10, 3);
      assertEquals(0, run.counts().datagramsSent());
      assertTrue(run.nodes.getFirst().inspect().group().startsWith("refused: "), run.nodes.getFirst().inspect().group());
    }
  }
}
