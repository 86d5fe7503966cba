package dev.weft.pvfs.service.outside;

import com.typesafe.config.Config;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.pvfs.tcp.TcpSettings;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Path;

/** The secret of clients outside the fabric: in the file that the settings name, or in one of the state directory. */
public final class OutsideSecret {
  private static final String OF_STATE = "pvfs-tcp.secret";

  private OutsideSecret() {}

  /** Returns the path of the file. */
  public static Path file(Config config) throws IOException {
    String said = TcpSettings.from(config).secretFile();
    return (said.isBlank() ? StateDirectory.open().path().resolve(OF_STATE) : Path.of(said)).toAbsolutePath();
  }

  /** For a JVM that accepts clients: creates the file of the state directory if it is missing. */
  public static FabricSecret readOrMake(Config config) throws IOException {
    boolean isSaid = !TcpSettings.from(config).secretFile().isBlank();
    return isSaid ? FabricSecret.read(file(config)) : FabricSecret.readOrMake(file(config));
  }
}
