package dev.weft.service.access;


import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.Check;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.fabric.trunk.UdpPath;
import dev.weft.service.CommandFailure;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;

/**
 * The address of this host at which a JVM of a fabric listens and other JVMs reach it, for the control plane and UDP trunks. It is an
 * IPv4 address. NBD and HTTP have their own options.
 */
public record HostAddress(InetAddress address) {
  /** Help text of {@code --bind}. */
  public static final String OPTION = "Address of this host at which the fabric's other hosts reach it (default: weft.cluster.bind, then 127.0.0.1,"
      + " for JVMs of this host only). Beyond loopback, JVMs need the fabric's secret to join, and Weft encrypts what passes between hosts. NBD and HTTP"
      + " stay where their own options say.";

  public static final String DEFAULT = "127.0.0.1";

  private static final String TRUNK_HOST = "weft.fabric.trunk.udp-host";
  private static final String DRIVER_MTU = "weft.fabric.cluster.media-driver.udp-mtu";

  /** Returns the address of {@code weft up}: that of the option, the setting {@code weft.cluster.bind}, or loopback. */
  public static HostAddress forUp(String option, Config config) {
    String setting = config.getString(FabricChoice.BIND);
    return of(option != null ? option : setting.isBlank() ? DEFAULT : setting);
  }

  /** Returns the address for an address or name. Throws CommandFailure if this host does not have it. */
  public static HostAddress of(String text) {
    InetAddress address;
    try {
      address = InetAddress.getByName(text);
    } catch (UnknownHostException e) {
      throw new CommandFailure("--bind " + text + ": this host cannot resolve that name; " + choice());
    }
    if (!(address instanceof Inet4Address)) {
      throw new CommandFailure("--bind " + text + " is not an IPv4 address; " + choice());
    }
    if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
      throw new CommandFailure("--bind " + text + ": other hosts cannot reach this host at it; " + choice());
    }
    try (DatagramSocket _ = new DatagramSocket(0, address)) {
      return new HostAddress(address);
    } catch (SocketException e) {
      throw new CommandFailure("--bind " + text + " is not an address of this host; " + choice());
    }
  }

  private static String choice() {
    return "choose one of " + String.join(", ", ofThisHost());
  }

  /** Returns the usable addresses of this host, loopback last. */
  static List<String> ofThisHost() {
    try {
      return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).filter(Inet4Address.class::isInstance)
          .sorted((a, b) -> Boolean.compare(a.isLoopbackAddress(), b.isLoopbackAddress())).map(InetAddress::getHostAddress).toList();
    } catch (SocketException e) {
      return List.of(DEFAULT);
    }
  }

  public String host() {
    return address.getHostAddress();
  }

  public boolean isLoopback() {
    return address.isLoopbackAddress();
  }

  /**
   * Returns the configuration of a JVM of a fabric at this address. Its trunks listen there, and the media driver's datagrams fit the MTU of
   * the network interface, so that IP does not fragment control messages. After a partition, only the side with the first JVM, which runs
   * the block device, goes on: without that JVM, the memory is useless.
   */
  public Config applyTo(Config config) {
    int udpMtu = UdpPath.datagramMax(UdpPath.interfaceMtu(address), Check.bytes(config, DRIVER_MTU));
    return config.withValue(TRUNK_HOST, ConfigValueFactory.fromAnyRef(host(), "--bind"))
        .withValue(DRIVER_MTU, ConfigValueFactory.fromAnyRef(udpMtu, "MTU of the interface of --bind"))
        .withValue(ClusterConfig.SURVIVING_ROLE, ConfigValueFactory.fromAnyRef(FabricAccess.FIRST_ROLE, "weft"));
  }
}
