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

  @Option(names = "--pvfs-dir", paramLabel = "DIR", description = "Directory in which each of them has one for its stripes.")
  private Path directory;

  @Option(names = "--pvfs-id", paramLabel = "ID", description = "File system that these have to be of.")
  private String fileSystem = "";

  @Option(names = "--pvfs-tcp", paramLabel = "HOST:PORT", description = "Where clients outside of the fabric reach them.")
  private String tcp;

  @Option(names = "--pvfs-tcp-secret", paramLabel = "FILE", description = "Has the secret that these need.")
  private Path secret;

  @Override
  public Config applyTo(Config config) {
    Config with = memory == null ? config : config.withValue("weft.pvfs.daemon.memory", ConfigValueFactory.fromAnyRef(memory, "--pvfs-memory"));
    with = with.withValue("weft.pvfs.tcp.listen", ConfigValueFactory.fromAnyRef(tcp == null ? "" : tcp, "--pvfs-tcp"));
    with = secret == null ? with : with.withValue("weft.pvfs.tcp.secret-file", ConfigValueFactory.fromAnyRef(secret.toString(), "--pvfs-tcp-secret"));
    return directory == null ? with : with.withValue("weft.pvfs.daemon.directory", ConfigValueFactory.fromAnyRef(directory.toString(), "--pvfs-dir"));
  }

  @Override
  public Running start(Host host) {
    Daemons daemons = new Daemons(host, key == null ? null : KeyFile.read(key), fileSystem, nodes.isEmpty() ? null : OutsideListener.open(host));
    nodes.forEach(daemons::add);
    return daemons;
  }
}
