package dev.weft.service.access;

import com.typesafe.config.Config;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a command that takes part in a fabric, on this host or another. */
public final class FabricOptions {
  @Option(names = "--fabric", paramLabel = "HOST[:PORT]", description = "The fabric, by the control address that 'weft up' prints (default: "
      + "weft.cluster.fabric, then the fabric of this user on this host; port 25520).")
  private String fabric;

  @Option(names = "--bind", paramLabel = "ADDRESS", description = "Address of this host at which the fabric's other hosts reach it (default: "
      + "weft.cluster.bind, then the address that this host has towards the fabric).")
  private String bind;

  @Option(names = "--secret-file", paramLabel = "FILE", description = SecretChoice.OPTION)
  private Path secretFile;

  /** Whether the user has named a fabric or an address of this host. */
  public boolean namesAFabric() {
    return fabric != null || bind != null;
  }

  /** The file of {@code --secret-file}; null if the user has named none. */
  public Path secretFile() {
    return secretFile;
  }

  /**
   * Returns the choice of the fabric.
   *
   * @param target {@code HOST[:PORT]} that the command takes as a parameter; null for none
   * @throws ParameterException if the command line is wrong
   * @throws dev.weft.service.CommandFailure if there is no such fabric, or this host cannot reach it
   */
  public FabricChoice choice(String target, Config config, CommandSpec spec) throws IOException {
    if (target != null && fabric != null) {
      throw new ParameterException(spec.commandLine(), "the fabric is named twice, by '" + target + "' and by --fabric; name it once");
    }
    try {
      return FabricChoice.of(target != null ? target : fabric, bind, secretFile, config, StateDirectory.open());
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage(), wrong);
    }
  }
}
