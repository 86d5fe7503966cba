package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file with the secret of a fabric: what was asked for, by option, environment or setting in this order, or the one that
 * {@code weft up --bind} makes in the state directory.
 *
 * @param file null if there is none
 * @param asked whether somebody asked for this very file
 */
record SecretChoice(Path file, boolean asked) {
  /** What {@code --secret-file} says of itself in the help. */
  static final String OPTION = "File whose first line is the secret that JVMs need to join, 32 to 4096 visible ASCII characters, readable by"
      + " you only (default: $WEFT_SECRET_FILE, then weft.cluster.secret-file, then 'secret' in the state directory).";

  private static final String ENVIRONMENT = "WEFT_SECRET_FILE";
  private static final String SETTING = "weft.cluster.secret-file";
  private static final String OF_STATE = "secret";

  /** What was asked for; null if nothing was. */
  private static SecretChoice asked(Path option, String environment, Config config) {
    String setting = config.getString(SETTING);
    Path file = option != null ? option
        : environment != null && !environment.isBlank() ? Path.of(environment) : setting.isBlank() ? null : Path.of(setting);
    return file == null ? null : new SecretChoice(file.toAbsolutePath(), true);
  }

  /** For {@code weft up}: on loopback a fabric has a secret only if somebody asks for it. */
  static SecretChoice forUp(Path option, Config config, StateDirectory states, HostAddress host) {
    return forUp(option, System.getenv(ENVIRONMENT), config, states, host);
  }

  static SecretChoice forUp(Path option, String environment, Config config, StateDirectory states, HostAddress host) {
    SecretChoice asked = asked(option, environment, config);
    if (asked != null) {
      return asked;
    }
    return new SecretChoice(host.isLoopback() ? null : ofState(states), false);
  }

  /** For {@code weft join}: what {@code weft up} of the same user and host has made is found. */
  static SecretChoice forJoin(Path option, Config config, StateDirectory states) {
    return forJoin(option, System.getenv(ENVIRONMENT), config, states);
  }

  static SecretChoice forJoin(Path option, String environment, Config config, StateDirectory states) {
    SecretChoice asked = asked(option, environment, config);
    if (asked != null) {
      return asked;
    }
    return new SecretChoice(Files.exists(ofState(states)) ? ofState(states) : null, false);
  }

  private static Path ofState(StateDirectory states) {
    return states.path().toAbsolutePath().resolve(OF_STATE);
  }

  /** Null if there is none. */
  FabricSecret read() {
    try {
      return file == null ? null : FabricSecret.read(file);
    } catch (IOException e) {
      throw new CommandFailure("the secret: " + e.getMessage(), e);
    }
  }

  /** Keys of a fabric that begins now; null if it has no secret. Makes the file that nobody asked for. */
  FabricKeys newKeys() {
    if (file == null) {
      return null;
    }
    try {
      return (asked ? FabricSecret.read(file) : FabricSecret.readOrMake(file)).newKeys();
    } catch (IOException e) {
      throw new CommandFailure("the secret: " + e.getMessage(), e);
    }
  }
}
