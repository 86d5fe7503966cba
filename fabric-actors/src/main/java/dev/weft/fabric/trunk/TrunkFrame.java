package dev.weft.fabric.trunk;

import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.packet.PacketCodec;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The content of one Aeron frame of a trunk: eight bytes of trunk header, then the transport packet. Little endian.
 *
 * <pre>
 *  0  source LID           u16
 *  2  destination LID      u16
 *  4  service level        u8
 *  5  flags                u8   bit 0: the ICRC was computed; bit 1: an authentication code follows instead of a packet, all other
 *                               fields but the mark are 0; bit 2: a {@link TrunkReference} to the payload comes before the packet;
 *                               bit 3: nothing follows, the sender can read the receiver's memory
 *  6  mark                 u16  0x5457, other values are rejected
 * </pre>
 */
final class TrunkFrame {
  static final int HEADER_LENGTH = 8;
  static final int MIN_LENGTH = HEADER_LENGTH + PacketCodec.MIN_LENGTH;
  static final int HELLO_LENGTH = HEADER_LENGTH + FabricKeys.trunkHelloLength();

  private static final int MARK = 0x5457;
  static final int FLAG_ICRC = 1;
  static final int FLAG_REFERENCE = 4;
  private static final long HELLO = 2L << 40 | (long) MARK << 48;
  private static final long READS_MEMORY = 8L << 40 | (long) MARK << 48;
  /** Bytes of the longest headers of a packet with payload: BTH, RETH, ImmDt and ICRC. */
  private static final int PACKET_OVERHEAD = 12 + 16 + 4 + 4;

  private TrunkFrame() {}

  /** Returns the Aeron MTU in bytes that carries payloads of {@code pathMtuBytes} in one frame. */
  static int mtuFor(int pathMtuBytes) {
    int needed = DataHeaderFlyweight.HEADER_LENGTH + HEADER_LENGTH + PACKET_OVERHEAD + BitUtil.align(pathMtuBytes, 4);
    return BitUtil.align(needed, FrameDescriptor.FRAME_ALIGNMENT);
  }

  /** Returns the largest payload in bytes that a frame of at most {@code maxPayloadLength} bytes carries with any opcode. */
  static int maxPacketPayload(int maxPayloadLength) {
    return (maxPayloadLength - HEADER_LENGTH - PACKET_OVERHEAD) & ~3;
  }

  static void putHeader(MutableDirectBuffer buffer, int offset, int srcLid, int dstLid, int sl, int flags) {
    long header = (srcLid & 0xffffL)
        | (dstLid & 0xffffL) << 16
        | (sl & 0xffL) << 32
        | (long) flags << 40
        | (long) MARK << 48;
    buffer.putLong(offset, header, ByteOrder.LITTLE_ENDIAN);
  }

  static long header(DirectBuffer buffer, int offset) {
    return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
  }

  static boolean isValid(long header) {
    long flags = header >>> 40 & 0xff;
    return header >>> 48 == MARK && (flags == 0 || flags == FLAG_ICRC || flags == FLAG_REFERENCE) && serviceLevel(header) < 16;
  }

  static void putReadsMemory(MutableDirectBuffer buffer, int offset) {
    buffer.putLong(offset, READS_MEMORY, ByteOrder.LITTLE_ENDIAN);
  }

  static boolean isReadsMemory(DirectBuffer buffer, int offset, int length) {
    return length == HEADER_LENGTH && header(buffer, offset) == READS_MEMORY;
  }

  static void putHello(MutableDirectBuffer buffer, int offset, byte[] code) {
    buffer.putLong(offset, HELLO, ByteOrder.LITTLE_ENDIAN);
    buffer.putBytes(offset + HEADER_LENGTH, code);
  }

  /** Returns the authentication code of a hello; null if the frame is not a hello. */
  static byte[] hello(DirectBuffer buffer, int offset, int length) {
    if (length != HELLO_LENGTH || header(buffer, offset) != HELLO) {
      return null;
    }
    byte[] code = new byte[length - HEADER_LENGTH];
    buffer.getBytes(offset + HEADER_LENGTH, code);
    return code;
  }

  static int srcLid(long header) {
    return (int) header & 0xffff;
  }

  static int dstLid(long header) {
    return (int) (header >>> 16) & 0xffff;
  }

  static int serviceLevel(long header) {
    return (int) (header >>> 32) & 0xff;
  }

  static boolean hasIcrc(long header) {
    return (header >>> 40 & FLAG_ICRC) != 0;
  }

  static boolean hasReference(long header) {
    return (header >>> 40 & FLAG_REFERENCE) != 0;
  }
}
