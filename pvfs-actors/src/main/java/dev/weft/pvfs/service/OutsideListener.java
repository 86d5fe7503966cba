package dev.weft.pvfs.service;

import com.typesafe.config.Config;
import dev.weft.fabric.node.Advert;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.service.outside.OutsideSecret;
import dev.weft.pvfs.tcp.TcpListener;
import dev.weft.pvfs.tcp.TcpSettings;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.StatusTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listener of one JVM for clients outside the fabric. Each JVM has its own; adverts tell all of them which JVM has which daemon. */
final class OutsideListener {
  static final String SERVICE = "pvfs-tcp";
  private static final String ADDRESS = "address";
  private static final Logger LOG = LoggerFactory.getLogger(OutsideListener.class);

  private final Host host;
  private final TcpListener listener;

  private OutsideListener(Host host, TcpListener listener) {
    this.host = host;
    this.listener = listener;
  }

  /** Returns null unless {@code weft.pvfs.tcp.listen} has an address. The listener is closed after the fabric. */
  static OutsideListener open(Host host) {
    try {
      TcpSettings settings = TcpSettings.from(host.config());
      if (!settings.listens()) {
        return null;
      }
      TcpListener listener = TcpListener.open(settings, OutsideSecret.readOrMake(host.config()), node -> elsewhere(host, node));
      host.afterwards(listener);
      return new OutsideListener(host, listener);
    } catch (IOException | IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
  }

  /** Returns the file with the secret, and creates it if needed; further JVMs must not create another one. */
  static Path madeSecretFile(Config config) {
    try {
      OutsideSecret.readOrMake(config);
      return OutsideSecret.file(config);
    } catch (IOException refused) {
      throw new CommandFailure("the secret of clients outside of the fabric: " + refused.getMessage(), refused);
    }
  }

  /** Returns the same host with any port. */
  static String anyPort(String listen) {
    return listen.substring(0, Math.max(0, listen.lastIndexOf(':'))) + ":0";
  }

  private static String elsewhere(Host host, String node) {
    return host.fabric().directory().adverts(SERVICE).stream().filter(advert -> advert.node().equals(node)).findFirst()
        .flatMap(advert -> advert.text(ADDRESS)).orElse(null);
  }

  void letIn(Manager manager) {
    manager.letIn(listener);
  }

  void letIn(String node, IoDaemon daemon) {
    daemon.letIn(listener);
    host.fabric().advertise(Advert.of(node, SERVICE, Map.of(ADDRESS, listener.address()))).whenComplete((_, refused) -> {
      if (refused != null) {
        LOG.warn("clients outside of the fabric cannot find the I/O daemon of node {}: {}", node, refused.getMessage());
      }
    });
  }

  String address() {
    return listener.address();
  }

  TcpListener.Counts counts() {
    return listener.counts();
  }

  List<StatusTable> tables() {
    TcpListener.Counts counts = counts();
    return List.of(StatusTable.of("Clients over TCP", "LISTENS AT", ">LET IN", ">WRONG SECRET", ">REFUSED", ">CROWDED OUT").row(address(), counts.letIn(),
        counts.wrongSecret(), counts.refused(), counts.crowdedOut()));
  }
}
