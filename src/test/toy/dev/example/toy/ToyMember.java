package dev.example.toy;

import dev.weft.fabric.node.Advert;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import java.util.Map;
import picocli.CommandLine.Option;

/** A toy on a node of its own. */
final class ToyMember implements Part {
  @Option(names = "--toy", paramLabel = "NAME", description = "Node with a toy.")
  private String name;

  @Override
  public Running start(Host host) {
    if (name != null) {
      Node node = host.addNode(name);
      node.spawnRole(ToyActor.create(), "toy", RoleContext.of("weft.toy", host.config().getConfig("weft.toy")));
      host.fabric().advertise(Advert.of(name, ToyService.NAME, Map.of("wheels", "4"))).toCompletableFuture().join();
    }
    return new Running() {};
  }
}
