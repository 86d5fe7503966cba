package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.ServerSettings;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What cannot be started holds nothing. */
@Tag("simulation")
class StartRefusedTest {
  private static final ServerSettings STAGED = SimulatedPager.serverSettings("memory = 1 MiB, store = staged");

  /** A fabric whose HCAs hold so many regions. */
  private static VirtualFabric fabric(int regions) {
    return new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE,
        ConfigFactory.parseString("weft.hca.memory-regions-max = " + regions));
  }

  private static int regions(Node node) {
    return node.hca().inspect().memoryRegions().size();
  }

  private static void open(Node node) {
    PagerClient.open(node, "d", List.of(new ServerSpec("s", MemoryServer.SERVICE, 1 << 20)), SimulatedPager.clientSettings(""), null,
        new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice device) {}

          @Override
          public void onFailed(String reason) {}
        });
  }

  @Test
  void shouldGiveBackTheFirstRegionWhenTheSecondIsRefused() {
    try (VirtualFabric fabric = fabric(1)) {
      Node node = fabric.addNode("s");
      VerbsException full = assertThrows(VerbsException.class, () -> MemoryServer.start(node, MemoryServer.SERVICE, STAGED));
      assertEquals(Errno.ENOMEM, full.errno());
      assertEquals(0, regions(node));
      open(node);
      VerbsException fullToo = assertThrows(VerbsException.class, () -> open(node));
      assertEquals(Errno.ENOMEM, fullToo.errno());
    }
  }

  @Test
  void shouldHoldNothingMoreWhenTheNameIsTaken() {
    try (VirtualFabric fabric = fabric(100)) {
      Node node = fabric.addNode("s");
      MemoryServer.start(node, MemoryServer.SERVICE, STAGED);
      open(node);
      int held = regions(node);
      assertThrows(IllegalArgumentException.class, () -> MemoryServer.start(node, MemoryServer.SERVICE, STAGED));
      assertThrows(IllegalArgumentException.class, () -> open(node));
      assertEquals(held, regions(node));
    }
  }
}
