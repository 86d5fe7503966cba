package dev.weft.dsm.mmu;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import java.nio.file.Path;

/** A node in a process of its own that serves applications until it is killed. */
final class NodeMain {
  private NodeMain() {}

  public static void main(String[] args) throws Exception {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false")
            .withFallback(ConfigFactory.load()));
        DsmNode node = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
        MmuServer server = MmuServer.start(node, MmuSettings.from(fabric.config()), Path.of(args[0]))) {
      System.out.println("serves");
      System.out.println("for the applications of " + server.directory());
      Thread.sleep(60_000);
    }
  }
}
