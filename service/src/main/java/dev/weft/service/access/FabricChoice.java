package dev.weft.service.access;

import com.typesafe.config.Config;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The fabric to join.
 *
 * @param target its address
 * @param bind address of this host at which the fabric reaches this JVM
 * @param secret the secret to show
 * @param driverDirectory directory of the media driver of a fabric that this host's state directory records
 */
public record FabricChoice(FabricTarget target, HostAddress bind, SecretChoice secret, Optional<Path> driverDirectory) {
  private static final String FABRIC = "weft.cluster.fabric";
  static final String BIND = "weft.cluster.bind";

  /**
   * Chooses: what the user gives comes first, then the setting, then what this host knows. For the fabric, that is the record of {@code weft up}
   * in the state directory. For the address, it is the one that this host has towards the fabric.
   *
   * @param target {@code HOST[:PORT]}; null if the user gives none
   * @param bind address or name of this host; null if the user gives none
   * @param secretFile null if the user gives none
   * @throws IllegalArgumentException if {@code target} or the setting has another form
   * @throws CommandFailure if there is no such fabric, or this host cannot reach it
   */
  public static FabricChoice of(String target, String bind, Path secretFile, Config config, StateDirectory states) throws IOException {
    SecretChoice secret = SecretChoice.forJoin(secretFile, config, states);
    String named = target != null ? target : config.getString(FABRIC);
    FabricTarget fabric = named.isBlank() ? recorded(states, config) : named(named, target == null, states, config);
    HostAddress here = HostAddress.of(address(bind, fabric, config));
    fabric.checkReachableFrom(here);
    String seed = fabric.seed();
    Optional<Path> driver = states.running().stream().filter(state -> state.address().equals(seed)).map(RunState::driverDirectory).findFirst();
    return new FabricChoice(fabric, here, secret, driver);
  }

  private static FabricTarget named(String text, boolean isSetting, StateDirectory states, Config config) throws IOException {
    try {
      FabricTarget target = FabricTarget.of(text);
      states.awaitRecords(config);
      return target;
    } catch (IllegalArgumentException wrong) {
      throw isSetting ? new CommandFailure(FABRIC + ": " + wrong.getMessage(), wrong) : wrong;
    }
  }

  private static FabricTarget recorded(StateDirectory states, Config config) throws IOException {
    RunState up = states.up(config).orElseThrow(() -> new CommandFailure("no fabric is up (looked in " + states.path()
        + "); start one with './weft up', or name one of another host by --fabric HOST or weft.cluster.fabric"));
    return FabricTarget.of(up.address());
  }

  private static String address(String bind, FabricTarget fabric, Config config) {
    if (bind != null) {
      return bind;
    }
    String setting = config.getString(BIND);
    if (!setting.isBlank()) {
      return setting;
    }
    return fabric.resolve().isLoopbackAddress() ? HostAddress.DEFAULT : fabric.sourceTowards();
  }

  /** Returns the message for a fabric that has not admitted this JVM in time. */
  public String silence() {
    return "no fabric answered at " + target + "; './weft status' on its host shows the address of a running one"
        + (bind.isLoopback() ? "" : ", and firewalls must let UDP pass between the hosts in both directions, to any port");
  }
}
