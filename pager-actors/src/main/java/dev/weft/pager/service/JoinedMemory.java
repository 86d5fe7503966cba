package dev.weft.pager.service;

import com.typesafe.config.Config;
import dev.weft.service.Host;
import dev.weft.service.Launch;
import dev.weft.service.Part;
import dev.weft.service.Running;
import dev.weft.service.SizeConverter;
import java.nio.file.Path;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A memory server in a JVM that joins; the fabric serves it as a separate export with the name of its node. */
final class JoinedMemory implements Part {
  private static final long SMALL_BYTES = 8 << 20;

  @Option(names = "--memory", paramLabel = "SIZE", defaultValue = "256M", converter = SizeConverter.class,
      description = "Memory to offer (default: 256M).")
  private long memory = 256 << 20;

  @Mixin private PagerOptions options = new PagerOptions();

  @Override
  public Config applyTo(Config config) {
    return options.applyTo(config);
  }

  @Override
  public void check(Launch launch) {
    options.check(memory, launch);
    MachineMemory.check(PagerOptions.physicalBytes(memory, launch.config()), 1, 1);
  }

  @Override
  public Running start(Host host) {
    String node = "joined-" + host.processName();
    MemoryServers servers = new MemoryServers(host);
    servers.add(node, memory, true);
    servers.say("Node " + node + " offers " + (memory >> 20) + " MiB. When this JVM leaves, its export fails.");
    return servers;
  }

  @Override
  public Part small(Path directory) {
    JoinedMemory small = new JoinedMemory();
    small.memory = SMALL_BYTES;
    return small;
  }
}
