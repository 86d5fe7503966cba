package dev.weft.pvfs.service.outside;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.pvfs.tcp.TcpAddress;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.FabricOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options by which commands reach a file system: in their fabric, or over TCP from outside of it. */
public final class OutsideOptions {
  @Option(names = "--tcp", paramLabel = "HOST:PORT", description = "Reach the file system over TCP, where the first JVM of 'weft up --pvfs-tcp' listens."
      + " --secret-file then names the secret of the file system (default: weft.pvfs.tcp.secret-file, then 'pvfs-tcp.secret' in the state directory).")
  private String address;

  @Mixin private FabricOptions fabric = new FabricOptions();

  /**
   * Whether the command does so over TCP.
   *
   * @throws ParameterException if it also names a fabric
   */
  public boolean isOutside(CommandSpec spec) {
    if (address != null && fabric.namesAFabric()) {
      throw new ParameterException(spec.commandLine(), "--tcp reaches the file system from outside of its fabric, --fabric and --bind as a part of it; give"
          + " only one");
    }
    return address != null;
  }

  /** Joins the fabric; gives the reason to {@code lost} if this JVM loses it. */
  public ClusterFabric join(CommandSpec spec, Config config, Consumer<String> lost) throws IOException {
    return FabricAccess.open(fabric.choice(null, config, spec), config, FabricAccess.Entry.program(lost));
  }

  /** The address of the listener. */
  public InetSocketAddress address(CommandSpec spec) throws IOException {
    try {
      return TcpAddress.parse(address);
    } catch (IllegalArgumentException none) {
      throw new ParameterException(spec.commandLine(), "--tcp: " + none.getMessage(), none);
    }
  }

  /** The secret of its clients. */
  public FabricSecret secret(Config config) throws IOException {
    return FabricSecret.read(fabric.secretFile() != null ? fabric.secretFile() : OutsideSecret.file(config));
  }

  /** Connects a client. */
  public TcpFileSystem connect(CommandSpec spec) throws IOException {
    try {
      return TcpFileSystem.connect(address(spec), secret(ConfigFactory.load()), Caller.ROOT, ConfigFactory.empty());
    } catch (IOException silent) {
      throw new CommandFailure(silent.getMessage() + "; does 'weft up --pvfs N --pvfs-tcp " + address + "' run there?", silent);
    }
  }
}
