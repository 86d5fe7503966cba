package dev.weft.fabric.trunk;

import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;

/**
 * How much a UDP datagram takes that leaves through one of this host's network interfaces without being cut by IP. A datagram
 * that IP cuts is lost whole when one of its fragments is, so trunks stay below. What lies beyond the interface is not looked at:
 * where the way is narrower than the first hop, {@code udp-path-mtu} has to be set.
 */
public final class UdpPath {
  /** What is assumed of an interface that does not say it. */
  private static final int ETHERNET_MTU = 1500;
  /** IPv6, the longer one, and UDP. */
  private static final int IP_UDP_HEADERS = 40 + 8;
  /** The longest frame that Aeron carries. */
  private static final int FRAME_MAX = 65_504;
  private static final int PATH_MTU_MIN = 256;

  private UdpPath() {}

  /** MTU in bytes of the interface that has {@code address}; of the loopback interface for any loopback address. */
  public static int interfaceMtu(InetAddress address) {
    try {
      NetworkInterface found = address.isLoopbackAddress() ? loopback() : NetworkInterface.getByInetAddress(address);
      return found == null ? ETHERNET_MTU : found.getMTU();
    } catch (SocketException e) {
      return ETHERNET_MTU; // It went away while we looked; binding to its address will say so.
    }
  }

  private static NetworkInterface loopback() throws SocketException {
    List<NetworkInterface> all = NetworkInterface.networkInterfaces().toList();
    for (NetworkInterface candidate : all) {
      if (candidate.isLoopback()) {
        return candidate;
      }
    }
    return null;
  }

  /** Longest Aeron datagram in bytes, a multiple of 32, that fits into {@code interfaceMtu}, at most {@code max}. */
  public static int datagramMax(int interfaceMtu, int max) {
    return Math.min(Math.min(interfaceMtu - IP_UDP_HEADERS, max), FRAME_MAX) & -FrameDescriptor.FRAME_ALIGNMENT;
  }

  /**
   * Path MTU in bytes for an interface: the largest power of two, as queue pairs have it, whose packets fit; 1024 for the 1500 bytes
   * of Ethernet, 8192 for jumbo frames of 9000.
   *
   * @param max the path MTU is not larger
   */
  static int pathMtu(int interfaceMtu, int max) {
    int payload = TrunkFrame.maxPacketPayload(datagramMax(interfaceMtu, FRAME_MAX) - DataHeaderFlyweight.HEADER_LENGTH);
    return Math.min(Integer.highestOneBit(Math.max(payload, PATH_MTU_MIN)), max);
  }

  /** The same for the interface that has the address {@code host}. */
  static int pathMtu(String host, int max) {
    try {
      return pathMtu(interfaceMtu(InetAddress.getByName(host)), max);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("udp-host = \"" + host + "\" is not an address of this host", e);
    }
  }
}
