package dev.weft.pvfs.service.outside;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.pvfs.tcp.TcpAddress;
import dev.weft.pvfs.tcp.TcpFileSystem;
import dev.weft.pvfs.wire.Caller;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options by which commands reach a file system from outside its fabric. */
public final class OutsideOptions {
  @Option(names = "--tcp", paramLabel = "HOST:PORT", description = "Reach the file system over TCP, where the first JVM of 'weft up --pvfs-tcp' listens.")
  private String address;

  @Option(names = "--secret-file", paramLabel = "FILE", description = "With --tcp: file whose first line is the secret of the file system (default: "
      + "weft.pvfs.tcp.secret-file, then 'pvfs-tcp.secret' in the state directory).")
  private Path secretFile;

  /**
   * Whether the command does so.
   *
   * @throws ParameterException if it names a secret without an address
   */
  public boolean isOutside(CommandSpec spec) {
    if (address == null && secretFile != null) {
      throw new ParameterException(spec.commandLine(), "--secret-file is for --tcp HOST:PORT, which is missing");
    }
    return address != null;
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
    return FabricSecret.read(secretFile != null ? secretFile : OutsideSecret.file(config));
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
