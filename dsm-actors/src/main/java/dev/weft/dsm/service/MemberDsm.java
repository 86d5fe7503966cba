package dev.weft.dsm.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import picocli.CommandLine.Option;

/** A node of shared memory in a further JVM of {@code weft up}. */
public final class MemberDsm implements Part {
  @Option(names = "--dsm", paramLabel = "NAME", description = "Name of the shared memory.")
  private String space;

  @Option(names = "--dsm-node", paramLabel = "NODE", description = "Its node here.")
  private String node;

  @Option(names = "--dsm-first", paramLabel = "NODE", description = "Its first node.")
  private String first;

  @Option(names = "--dsm-memory", paramLabel = "BYTES", description = "Its size.")
  private Long memory;

  @Override
  public Config applyTo(Config config) {
    return memory == null ? config : config.withValue("weft.dsm.memory", ConfigValueFactory.fromAnyRef(memory, "--dsm-memory"));
  }

  @Override
  public Running start(Host host) {
    DsmNodes nodes = new DsmNodes(host);
    if (space != null) {
      nodes.joinLater(space, node, first);
    }
    return nodes;
  }
}
