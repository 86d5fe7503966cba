package dev.weft.fabric.packet;

import java.util.Arrays;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;

/**
 * The invariant CRC as RoCEv2 NICs compute it (specification annex A17, section 7.8.1 of volume 1). It is a CRC-32 over
 * eight bytes of ones in the place of the LRH, then over the packet from the IPv4 header to the pad. Every field that a
 * router may change counts as ones: type of service, time to live, both checksums, the congestion byte of the BTH.
 *
 * <p>The wire carries the result with its least significant byte first. Not thread-safe: use one instance per thread, so
 * that nothing is allocated per packet.
 */
public final class Icrc {
  /** Bytes on the wire. */
  public static final int LENGTH = 4;

  private static final int LRH_LENGTH = 8;
  private static final int BTH_OFFSET = LRH_LENGTH + RoceV2.IPV4_LENGTH + RoceV2.UDP_LENGTH;
  private static final int BTH_CONGESTION = 4;
  private static final int SCRATCH_LENGTH = 4096;

  private final CRC32 crc = new CRC32();
  private final byte[] scratch = new byte[SCRATCH_LENGTH];

  public Icrc() {
    Arrays.fill(scratch, 0, LRH_LENGTH, (byte) 0xff);
  }

  /**
   * Returns the ICRC of a packet on a trunk, computed with the headers that {@link RoceV2} gives it.
   *
   * @param buffer holds the packet from its BTH to its pad
   * @param offset index of the BTH
   * @param length bytes from BTH to pad, without the ICRC; at least 12
   */
  public int ofTransport(DirectBuffer buffer, int offset, int length, int srcLid, int dstLid, int destQp) {
    RoceV2.putIpUdp(scratch, LRH_LENGTH, srcLid, dstLid, 0, destQp, length + LENGTH);
    return run(buffer, offset, length);
  }

  /**
   * Returns the ICRC of a captured packet.
   *
   * @param datagram holds the IPv4 datagram; its header has no options
   * @param offset index of the IPv4 header
   * @param length bytes from the IPv4 header to the pad, without the ICRC; at least 40
   * @throws IllegalArgumentException if these are no IPv4 and UDP headers without options followed by a BTH
   */
  public int ofDatagram(DirectBuffer datagram, int offset, int length) {
    int headers = RoceV2.IPV4_LENGTH + RoceV2.UDP_LENGTH;
    if (length < headers + PacketCodec.BTH_LENGTH || datagram.getByte(offset) != 0x45) {
      throw new IllegalArgumentException("not an IPv4/UDP datagram with a BTH: length=" + length
          + ", want at least " + (headers + PacketCodec.BTH_LENGTH) + " and a first byte of 0x45");
    }
    datagram.getBytes(offset, scratch, LRH_LENGTH, headers);
    return run(datagram, offset + headers, length - headers);
  }

  /** Expects the IPv4 and UDP headers in the scratch buffer. The first piece fills the rest of the buffer; more pieces follow. */
  private int run(DirectBuffer buffer, int offset, int length) {
    mask();
    int count = Math.min(length, SCRATCH_LENGTH - BTH_OFFSET);
    buffer.getBytes(offset, scratch, BTH_OFFSET, count);
    scratch[BTH_OFFSET + BTH_CONGESTION] = (byte) 0xff;
    crc.reset();
    crc.update(scratch, 0, BTH_OFFSET + count);
    for (int done = count; done < length; done += count) {
      count = Math.min(length - done, SCRATCH_LENGTH - BTH_OFFSET);
      buffer.getBytes(offset + done, scratch, BTH_OFFSET, count);
      crc.update(scratch, BTH_OFFSET, count);
    }
    return (int) crc.getValue();
  }

  private void mask() {
    scratch[LRH_LENGTH + 1] = (byte) 0xff;
    scratch[LRH_LENGTH + 8] = (byte) 0xff;
    scratch[LRH_LENGTH + 10] = (byte) 0xff;
    scratch[LRH_LENGTH + 11] = (byte) 0xff;
    scratch[LRH_LENGTH + 26] = (byte) 0xff;
    scratch[LRH_LENGTH + 27] = (byte) 0xff;
  }
}
