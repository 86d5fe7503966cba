package dev.weft.fabric.packet;

import java.util.Arrays;

/**
 * Maps the fabric's addresses to Ethernet. The ICRC of a trunk and the frames of a capture use the same mapping, so that
 * both carry the same ICRC. Source: InfiniBand Architecture Specification, annex A17 (RoCEv2).
 *
 * <ul>
 *   <li>LID 0xHHLL is the IPv4 address 10.87.HH.LL and the MAC address 02:57:00:00:HH:LL (locally administered);
 *   <li>a multicast LID 0xHHLL is the group 239.87.HH.LL and its MAC address 01:00:5e:57:HH:LL;
 *   <li>UDP destination port 4791, source port 0xc000 to 0xffff folded from the destination queue pair, as NICs do to
 *       spread flows; UDP checksum 0 (none, the ICRC protects the packet);
 *   <li>identification 0, don't fragment, time to live 64; the DSCP is the service level;
 *   <li>a packet that does not fit an IPv4 datagram (more than {@link #MAX_TRANSPORT_LENGTH} bytes from BTH to ICRC)
 *       has its length fields saturated at the largest value.
 * </ul>
 */
public final class RoceV2 {
  public static final int ETHERNET_LENGTH = 14;
  public static final int IPV4_LENGTH = 20;
  public static final int UDP_LENGTH = 8;
  public static final int UDP_PORT = 4791;
  /** Bytes before a datagram in the receive buffer. */
  public static final int GRH_LENGTH = 40;

  /** Bytes from BTH to ICRC, both included, that fit one IPv4 datagram. */
  public static final int MAX_TRANSPORT_LENGTH = 65_535 - IPV4_LENGTH - UDP_LENGTH;

  private static final int PROTOCOL_UDP = 17;
  private static final int TIME_TO_LIVE = 64;

  private RoceV2() {}

  /** Returns the UDP source port of all packets to {@code destQp}. */
  public static int sourcePort(int destQp) {
    return 0xc000 | ((destQp ^ (destQp >>> 14)) & 0x3fff);
  }

  /** Returns the IPv4 address of a LID as a number. */
  public static int ipv4Address(int lid) {
    return (Packet.isMulticast(lid) ? 239 : 10) << 24 | 87 << 16 | (lid & 0xffff);
  }

  /**
   * Writes the {@link #GRH_LENGTH} bytes before a datagram in the receive buffer: unused bytes, then its IPv4 header (annex A17,
   * section 17.4.5.3, as for any RoCEv2 receive).
   *
   * @param transportLength bytes from BTH to ICRC, both included
   */
  public static void putGrh(byte[] target, int offset, int srcLid, int dstLid, int serviceLevel, int transportLength) {
    Arrays.fill(target, offset, offset + GRH_LENGTH - IPV4_LENGTH, (byte) 0);
    putIpv4(target, offset + GRH_LENGTH - IPV4_LENGTH, srcLid, dstLid, serviceLevel, transportLength);
  }

  /** Writes the 14 bytes of the Ethernet header. */
  public static void putEthernet(byte[] target, int offset, int srcLid, int dstLid) {
    putMac(target, offset, dstLid);
    putMac(target, offset + 6, srcLid);
    putShort(target, offset + 12, 0x0800);
  }

  /**
   * Writes the 28 bytes of the IPv4 and UDP headers, with a valid IPv4 checksum.
   *
   * @param transportLength bytes from BTH to ICRC, both included
   */
  public static void putIpUdp(
      byte[] target, int offset, int srcLid, int dstLid, int serviceLevel, int destQp, int transportLength) {
    putIpv4(target, offset, srcLid, dstLid, serviceLevel, transportLength);
    putShort(target, offset + 20, sourcePort(destQp));
    putShort(target, offset + 22, UDP_PORT);
    putShort(target, offset + 24, ipv4Length(transportLength) - IPV4_LENGTH);
    putShort(target, offset + 26, 0);
  }

  private static void putIpv4(byte[] target, int offset, int srcLid, int dstLid, int serviceLevel, int transportLength) {
    target[offset] = 0x45;
    target[offset + 1] = (byte) (serviceLevel << 2);
    putShort(target, offset + 2, ipv4Length(transportLength));
    putShort(target, offset + 4, 0);
    putShort(target, offset + 6, 0x4000);
    target[offset + 8] = TIME_TO_LIVE;
    target[offset + 9] = PROTOCOL_UDP;
    putShort(target, offset + 10, 0);
    putInt(target, offset + 12, ipv4Address(srcLid));
    putInt(target, offset + 16, ipv4Address(dstLid));
    putShort(target, offset + 10, checksum(target, offset));
  }

  /** Returns the IPv4 total length of a datagram with {@code transportLength} bytes from BTH to ICRC, saturated. */
  static int ipv4Length(int transportLength) {
    return Math.min(transportLength, MAX_TRANSPORT_LENGTH) + IPV4_LENGTH + UDP_LENGTH;
  }

  private static int checksum(byte[] header, int offset) {
    int sum = 0;
    for (int i = 0; i < IPV4_LENGTH; i += 2) {
      sum += (header[offset + i] & 0xff) << 8 | (header[offset + i + 1] & 0xff);
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    return ~sum & 0xffff;
  }

  private static void putMac(byte[] target, int offset, int lid) {
    putInt(target, offset, Packet.isMulticast(lid) ? 0x01005e57 : 0x02570000);
    putShort(target, offset + 4, lid);
  }

  static void putShort(byte[] target, int offset, int value) {
    target[offset] = (byte) (value >>> 8);
    target[offset + 1] = (byte) value;
  }

  static void putInt(byte[] target, int offset, int value) {
    putShort(target, offset, value >>> 16);
    putShort(target, offset + 2, value);
  }
}
