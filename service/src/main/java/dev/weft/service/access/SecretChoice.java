package dev.weft.service.access;

import com.typesafe.config.Config;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The choice of the file with the secret of a fabric: the file of the option, the environment or the setting, in this order, or the
 * file that {@code weft up --bind} makes in the state directory.
 *
 * @param file the file; null if there is none
 * @param asked whether the user has named this file
 */
public record SecretChoice(Path file, boolean asked) {
  /** Help text of {@code --secret-file}. */
  public static final String OPTION = "File whose first line is the secret that JVMs need to join, 32 to 4096 visible ASCII characters, readable by"
      + " you only (default: $WEFT_SECRET_FILE, then weft.cluster.secret-file, then 'secret' in the state directory).";

  private static final String ENVIRONMENT = "WEFT_SECRET_FILE";
  private static final String SETTING = "weft.cluster.secret-file";
  private static final String OF_STATE = "secret";

  /** Returns the file that the user has named; null if there is none. */
  private static SecretChoice asked(Path option, String environment, Config config) {
    String setting = config.getString(SETTING);
    Path file = option != null ? option
        : environment != null && !environment.isBlank() ? Path.of(environment) : setting.isBlank() ? null : Path.of(setting);
    return file == null ? null : new SecretChoice(file.toAbsolutePath(), true);
  }

  /** Returns the choice of {@code weft up}. On loopback, a fabric has a secret only if the user names a file. */
  public static SecretChoice forUp(Path option, Config config, StateDirectory states, HostAddress host) {
    return forUp(option, System.getenv(ENVIRONMENT), config, states, host);
  }

  static SecretChoice forUp(Path option, String environment, Config config, StateDirectory states, HostAddress host) {
    SecretChoice asked = asked(option, environment, config);
    if (asked != null) {
      return asked;
    }
    return new SecretChoice(host.isLoopback() ? null : ofState(states), false);
  }

  /** Returns the choice of {@code weft join}. It finds the file that {@code weft up} of the same user and host has made. */
  public static SecretChoice forJoin(Path option, Config config, StateDirectory states) {
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

  /** Reads the secret; returns null if there is no file. */
  FabricSecret read() {
    try {
      return file == null ? null : FabricSecret.read(file);
    } catch (IOException e) {
      throw new CommandFailure("the secret: " + e.getMessage(), e);
    }
  }

  /** Returns keys for a new fabric; null if it has no secret. Makes the file if it does not exist and the user has not named it. */
  public FabricKeys newKeys() {
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
