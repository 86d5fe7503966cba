package dev.weft.pager.service;

import com.typesafe.config.Config;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Memory servers in a further JVM of {@code weft up}. */
final class MemberMemory implements Part {
  @Option(names = "--node", paramLabel = "NAME", description = "Node with a memory server; may be repeated.")
  private List<String> nodes = new ArrayList<>();

  @Option(names = "--memory", paramLabel = "BYTES", description = "Memory of each of them.")
  private long memory;

  @Mixin private PagerOptions options = new PagerOptions();

  @Override
  public Config applyTo(Config config) {
    return options.applyTo(config);
  }

  @Override
  public Running start(Host host) {
    MemoryServers servers = new MemoryServers(host);
    nodes.forEach(node -> servers.add(node, memory, false));
    return servers;
  }
}
