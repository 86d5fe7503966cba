package dev.weft.service.process;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.admission.AdmissionClient;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.fabric.cluster.DriverSpace;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.trunk.TrunkSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fabric of {@code weft up} of this user on this host, for programs that take part in it. */
public final class UpFabric {
  /** Cluster role of the first JVM of {@code weft up}. If the network splits the fabric, the side with this JVM survives. */
  public static final String FIRST_ROLE = "front";

  /** Cluster role of a program that takes part, such as a mount. */
  public static final String PROGRAM_ROLE = "program";

  private static final Logger LOG = LoggerFactory.getLogger(UpFabric.class);

  private UpFabric() {}

  /**
   * Joins the fabric, which it finds in the state directory, and uses its media driver. Otherwise like {@link ClusterFabric#join}. For fabrics
   * without a secret.
   *
   * @throws CommandFailure if no fabric is up
   */
  public static ClusterFabric join() throws IOException {
    return join(ConfigFactory.load());
  }

  /** Like {@link #join()}, with settings. */
  public static ClusterFabric join(Config base) throws IOException {
    return join(base, reason -> LOG.error("this JVM has lost the fabric: {}", reason));
  }

  /**
   * Like {@link #join(Config)}.
   *
   * @param lost gets the reason if this JVM loses the fabric
   */
  public static ClusterFabric join(Config base, Consumer<String> lost) throws IOException {
    StateDirectory states = StateDirectory.open();
    RunState up = states.up(base)
        .orElseThrow(() -> new CommandFailure("no fabric is up (looked in " + states.path() + "); start one with './weft up'"));
    refuseSecret(up.address());
    requireSpace(up.driverDirectory(), base, MediaDriverProcess.jvms(up.driverDirectory()));
    Config config = base.withValue(ClusterConfig.SURVIVING_ROLE, ConfigValueFactory.fromAnyRef(FIRST_ROLE, "weft up"));
    return ClusterFabric.start(new ClusterFabric.Place("127.0.0.1", 0, List.of(up.address()), List.of(PROGRAM_ROLE),
        MediaDriverSettings.of(config).withDirectory(up.driverDirectory()), NodeLink.DIRECT,
        lost), config);
  }

  /** Fails at once if the media driver has no room for the connections of a further JVM. */
  static void requireSpace(Path driver, Config config, int jvms) throws IOException {
    try {
      DriverSpace.checkOneMore(driver, MediaDriverSettings.of(config), TrunkSettings.of(config), jvms);
    } catch (IOException missing) {
      throw new CommandFailure(missing.getMessage(), missing);
    }
  }

  /** Fails at once if the fabric has a secret; without this check, the join would fail after a timeout of half a minute. */
  static void refuseSecret(String address) throws IOException {
    int colon = address.lastIndexOf(':');
    InetAddress host = InetAddress.getByName(address.substring(0, colon));
    AdmissionClient.Result desk;
    try {
      desk = AdmissionClient.ask(host, new InetSocketAddress(host, Integer.parseInt(address.substring(colon + 1))), null, true);
    } catch (IOException e) {
      throw new CommandFailure("the fabric at " + address + " did not answer whether a program may join (" + e.getMessage() + "); './weft status' shows whether"
          + " it is busy", e);
    }
    if (!(desk instanceof AdmissionClient.NoDesk)) {
      throw new CommandFailure("the fabric at " + address + " has a secret, and programs and mounts can join only a fabric without one; start it by './weft up'"
          + " without --bind and --secret-file, or connect over TCP (--tcp)");
    }
  }
}
