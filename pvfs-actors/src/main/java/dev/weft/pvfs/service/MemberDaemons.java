package dev.weft.pvfs.service;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** I/O daemons in a further JVM of {@code weft up}. */
final class MemberDaemons implements Part {
  @Option(names = "--pvfs-node", paramLabel = "NAME", description = "Node with an I/O daemon of the file system; may be repeated.")
  private List<String> nodes = new ArrayList<>();

  @Option(names = "--pvfs-memory", paramLabel = "BYTES", description = "Memory of each of them.")
  private Long memory;

  @Option(names = "--pvfs-key", paramLabel = "FILE", description = "Has the key by which they know what the manager has allowed.")
  private Path key;

  @Override
  public Config applyTo(Config config) {
    return memory == null ? config : config.withValue("weft.pvfs.daemon.memory", ConfigValueFactory.fromAnyRef(memory, "--pvfs-memory"));
  }

  @Override
  public Running start(Host host) {
    Daemons daemons = new Daemons(host, key == null ? null : KeyFile.read(key));
    nodes.forEach(daemons::add);
    return daemons;
  }
}
