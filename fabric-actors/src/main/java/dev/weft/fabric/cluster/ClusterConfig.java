package dev.weft.fabric.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.Check;
import dev.weft.fabric.files.JvmName;
import io.aeron.Aeron;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Makes the configuration of one JVM of the cluster. */
public final class ClusterConfig {
  /** Name of the actor system in every JVM; the addresses of Akka's seed nodes contain it. */
  public static final String SYSTEM_NAME = "weft";

  /** Setting: the cluster role whose side survives a partition, whatever its size; empty for none. */
  public static final String SURVIVING_ROLE = "akka.cluster.split-brain-resolver.keep-majority.role";

  private static final String SURVIVORS = "akka.cluster.split-brain-resolver.active-strategy";
  private static final String ARTERY_CLIENT_SLEEP = "aeron.client.idle.sleep.duration";
  private static final String ARTERY_CLIENT_NAME = Aeron.Configuration.CLIENT_NAME_PROP_NAME;

  private ClusterConfig() {}

  /**
   * Returns {@code ConfigFactory.load()} with the settings that a JVM of the cluster needs.
   *
   * @param host address that Artery binds and that peers use
   * @param port UDP port of Artery; 0 takes a free one, which only a JVM that is not a seed node may do
   * @param seeds {@code host:port} of Akka's seed nodes, the JVMs to join, in the same order everywhere; empty if the caller joins
   *     by itself
   * @param aeronDirectory directory of the running media driver, {@link MediaDriverProcess#directory()}
   * @param roles cluster roles of this JVM
   * @throws IllegalArgumentException if a seed node is not {@code host:port}
   */
  public static Config forJvm(
      String host, int port, List<String> seeds, Path aeronDirectory, Collection<String> roles) {
    return forJvm(host, port, seeds, aeronDirectory, roles, ConfigFactory.load());
  }

  /** Does the same with another base, which must contain the reference configurations. */
  public static Config forJvm(
      String host, int port, List<String> seeds, Path aeronDirectory, Collection<String> roles, Config base) {
    Check.range("port", port, 0, 65_535);
    sleepLongerInArtery();
    System.setProperty(ARTERY_CLIENT_NAME, JvmName.OF_THIS_JVM); // Artery has no setting for this either.
    List<String> seedNodes = new ArrayList<>();
    for (String seed : seeds) {
      if (!seed.matches("[^:\\s]+:[1-9][0-9]{0,4}")) {
        throw new IllegalArgumentException("seed \"" + seed + "\" must be host:port");
      }
      seedNodes.add("akka://" + SYSTEM_NAME + "@" + seed);
    }
    Map<String, Object> own = Map.of(
        "akka.remote.artery.canonical.hostname", host,
        "akka.remote.artery.canonical.port", port,
        "akka.remote.artery.advanced.aeron.aeron-dir", aeronDirectory.toAbsolutePath().toString(),
        "akka.cluster.seed-nodes", seedNodes,
        JoinCheck.VERSION, JoinCheck.ownVersion(),
        "akka.cluster.roles", List.copyOf(roles));
    Config config = ConfigFactory.empty();
    for (Map.Entry<String, Object> entry : own.entrySet()) {
      config = config.withValue(entry.getKey(), ConfigValueFactory.fromAnyRef(entry.getValue(), "ClusterConfig"));
    }
    return config
        .withFallback(ConfigFactory.systemProperties())
        .withFallback(ConfigFactory.defaultApplication(ClusterConfig.class.getClassLoader())) // Or the file that -Dconfig.file names.
        .withFallback(survivors(base))
        .withFallback(ConfigFactory.parseResources(ClusterConfig.class.getClassLoader(), "weft-cluster.conf"))
        .withFallback(base)
        .resolve();
  }

  /** If the base names a surviving role, selects the strategy that uses it, instead of that of weft-cluster.conf. */
  private static Config survivors(Config base) {
    return base.hasPath(SURVIVING_ROLE) && !base.getString(SURVIVING_ROLE).isEmpty()
        ? ConfigFactory.empty().withValue(SURVIVORS, ConfigValueFactory.fromAnyRef("keep-majority", SURVIVING_ROLE))
        : ConfigFactory.empty();
  }

  /**
   * Makes Artery's Aeron client sleep longer. By default, it polls 60 times a second for rare events, which costs an idle JVM a quarter of
   * a percent of a core. Artery has no setting for this; Aeron has this property, a duration with a unit.
   */
  private static void sleepLongerInArtery() {
    if (System.getProperty(ARTERY_CLIENT_SLEEP) == null) {
      System.setProperty(ARTERY_CLIENT_SLEEP, "50ms");
    }
  }
}
