package dev.weft.fabric.trunk;

import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.seal.SealedSocket;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Computes how long a UDP datagram can be that leaves through one of this host's network interfaces without IP fragmentation. A
 * fragmented datagram is lost if one of its fragments is, so trunks send no longer datagrams. This class only looks at the
 * interface. If the MTU of the path is smaller than that of the first hop, the user has to set {@code udp-path-mtu}.
 */
public final class UdpPath {
  /** The MTU that is assumed if the interface does not tell it. */
  private static final int ETHERNET_MTU = 1500;
  /** Headers of IPv6, which are longer than those of IPv4, and of UDP. */
  private static final int IP_UDP_HEADERS = 40 + 8;
  /** Room that a fabric with a secret needs; kept free in all fabrics, so that their path MTU is the same. */
  private static final int SEAL = SealedSocket.OVERHEAD;
  /** The longest frame that Aeron carries, sealed or not. */
  private static final int FRAME_MAX = MediaDriverSettings.UDP_MTU_MAX;
  private static final int PATH_MTU_MIN = 256;

  private UdpPath() {}

  /** Returns the MTU in bytes of the interface that has {@code address}; for any loopback address, that of the loopback interface. */
  public static int interfaceMtu(InetAddress address) {
    try {
      NetworkInterface found = address.isLoopbackAddress() ? loopback() : NetworkInterface.getByInetAddress(address);
      return found == null ? ETHERNET_MTU : found.getMTU();
    } catch (SocketException e) {
      return ETHERNET_MTU; // The interface has just disappeared; binding to its address will report that.
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

  /** Returns the length in bytes of the longest Aeron datagram that fits {@code interfaceMtu}: a multiple of 32, at most {@code max}. */
  public static int datagramMax(int interfaceMtu, int max) {
    return Math.min(Math.min(interfaceMtu - IP_UDP_HEADERS - SEAL, max), FRAME_MAX) & -FrameDescriptor.FRAME_ALIGNMENT;
  }

  /**
   * Returns the path MTU in bytes for an interface. It is the largest power of two, as queue pairs require, whose packets fit: 1024 for the
   * 1500 bytes of Ethernet, 8192 for jumbo frames of 9000.
   *
   * @param max upper bound of the result
   */
  static int pathMtu(int interfaceMtu, int max) {
    int payload = TrunkFrame.maxPacketPayload(datagramMax(interfaceMtu, FRAME_MAX) - DataHeaderFlyweight.HEADER_LENGTH);
    return Math.min(Integer.highestOneBit(Math.max(payload, PATH_MTU_MIN)), max);
  }

  /** Returns the same for the interface that has the address {@code host}. */
  static int pathMtu(String host, int max) {
    try {
      return pathMtu(interfaceMtu(InetAddress.getByName(host)), max);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("udp-host = \"" + host + "\" is not an address of this host", e);
    }
  }
}
