package dev.weft.fabric.capture;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.RoceV2;
import org.agrona.MutableDirectBuffer;

/**
 * Writes packets as blocks of a pcapng file: Ethernet, IPv4, UDP port 4791, BTH and so on to the ICRC, as {@link RoceV2} maps them. A frame
 * longer than the largest IPv4 datagram is cut there; its block has the true length. One thread at a time.
 */
final class PacketBlock {
  /** Direction of a packet: none, or the flags of the pcapng format (its section 4.3.1). */
  static final int NO_DIRECTION = 0;
  static final int INBOUND = 1;
  static final int OUTBOUND = 2;

  private static final int HEADERS_LENGTH = RoceV2.ETHERNET_LENGTH + RoceV2.IPV4_LENGTH + RoceV2.UDP_LENGTH;
  private static final int MAX_FRAME_LENGTH = HEADERS_LENGTH + RoceV2.MAX_TRANSPORT_LENGTH;
  private static final int FRAME_OFFSET = 28;
  private static final int OVERHEAD = FRAME_OFFSET + 4;
  private static final int OPTION_FLAGS = 2;
  private static final int FLAGS_LENGTH = 12;

  private final byte[] headers = new byte[HEADERS_LENGTH];
  private final PacketCodec codec = new PacketCodec();

  /** Returns the length of the block in bytes. */
  int length(Packet packet, int direction) {
    int captured = Math.min(HEADERS_LENGTH + codec.encodedLength(packet), MAX_FRAME_LENGTH);
    return OVERHEAD + ((captured + 3) & ~3) + (direction == NO_DIRECTION ? 0 : FLAGS_LENGTH);
  }

  /** Returns how many bytes {@link #put} may write: more than the length of the block if the frame is cut. */
  int room(Packet packet) {
    return OVERHEAD + HEADERS_LENGTH + codec.encodedLength(packet) + 3 + FLAGS_LENGTH;
  }

  /**
   * Writes the block of a packet. After an exception, the written bytes are not a valid block.
   *
   * @param timeNs nanoseconds since 1970
   * @throws IllegalStateException if the payload's owner has freed it
   * @throws IllegalArgumentException if a field of the packet does not fit its place on the wire
   * @throws dev.weft.fabric.packet.PayloadLostException if its bytes were taken back
   */
  void put(MutableDirectBuffer target, int offset, long timeNs, Packet packet, int direction) {
    int transportLength = codec.encodedLength(packet);
    int frameLength = HEADERS_LENGTH + transportLength;
    int capturedLength = Math.min(frameLength, MAX_FRAME_LENGTH);
    int blockLength = length(packet, direction);
    codec.encode(packet, target, offset + FRAME_OFFSET + HEADERS_LENGTH, true);
    RoceV2.putEthernet(headers, 0, packet.srcLid(), packet.dstLid());
    RoceV2.putIpUdp(headers, RoceV2.ETHERNET_LENGTH, packet.srcLid(), packet.dstLid(), packet.serviceLevel(),
        packet.destQp(), transportLength);
    target.putInt(offset, Pcapng.ENHANCED_PACKET, LITTLE_ENDIAN);
    target.putInt(offset + 4, blockLength, LITTLE_ENDIAN);
    target.putInt(offset + Pcapng.INTERFACE_OFFSET, 0, LITTLE_ENDIAN);
    target.putInt(offset + Pcapng.TIME_OFFSET, (int) (timeNs >>> 32), LITTLE_ENDIAN);
    target.putInt(offset + Pcapng.TIME_OFFSET + 4, (int) timeNs, LITTLE_ENDIAN);
    target.putInt(offset + 20, capturedLength, LITTLE_ENDIAN);
    target.putInt(offset + 24, frameLength, LITTLE_ENDIAN);
    target.putBytes(offset + FRAME_OFFSET, headers);
    int at = offset + FRAME_OFFSET + capturedLength;
    for (int i = capturedLength; (i & 3) != 0; i++) {
      target.putByte(at++, (byte) 0);
    }
    if (direction != NO_DIRECTION) {
      target.putInt(at, OPTION_FLAGS | Integer.BYTES << 16, LITTLE_ENDIAN);
      target.putInt(at + 4, direction, LITTLE_ENDIAN);
      target.putInt(at + 8, Pcapng.OPTION_END, LITTLE_ENDIAN);
      at += FLAGS_LENGTH;
    }
    target.putInt(at, blockLength, LITTLE_ENDIAN);
  }
}
