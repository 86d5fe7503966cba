package dev.weft.fabric.capture;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes and reads the blocks of a pcapng file other than those of packets, in little endian, at the position of a buffer. Source: the pcapng
 * draft (draft-ietf-opsawg-pcapng).
 */
public final class Pcapng {
  /** Types of blocks. */
  public static final int SECTION_HEADER = 0x0a0d0d0a;
  public static final int INTERFACE_DESCRIPTION = 1;
  public static final int INTERFACE_STATISTICS = 5;
  public static final int ENHANCED_PACKET = 6;

  /** Field of a section header after type and length, in the byte order of the section. */
  public static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;

  /** Offsets in the blocks of packets and statistics: the number of the interface, and the upper and lower half of the time in nanoseconds. */
  public static final int INTERFACE_OFFSET = 8;
  public static final int TIME_OFFSET = 12;

  /** Offsets in a block of statistics, as this class writes it: the counts of all packets and of lost packets. */
  public static final int RECEIVED_OFFSET = 24;
  public static final int DROPPED_OFFSET = 36;

  /** Length of a block of statistics, as this class writes it. */
  public static final int STATISTICS_LENGTH = 24 + 12 + 12 + 4;

  /** Upper bound of the length of a block: the largest frame and the fields around it. */
  public static final int BLOCK_LENGTH_MAX = 66_000;

  static final int OPTION_END = 0;
  private static final int LINKTYPE_ETHERNET = 1;
  private static final int OPTION_SHB_APPLICATION = 4;
  private static final int OPTION_IF_NAME = 2;
  private static final int OPTION_IF_TIMESTAMP_RESOLUTION = 9;
  private static final int OPTION_ISB_RECEIVED = 4;
  private static final int OPTION_ISB_DROPPED = 5;
  private static final byte NANOSECONDS = 9;

  private Pcapng() {}

  static void putSectionHeader(ByteBuffer buffer) {
    int start = beginBlock(buffer, SECTION_HEADER);
    buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
    putOption(buffer, OPTION_SHB_APPLICATION, "Weft".getBytes(StandardCharsets.UTF_8));
    endBlock(buffer, start);
  }

  /** Writes the next interface of the section: Ethernet, with times in nanoseconds. */
  static void putInterface(ByteBuffer buffer, String name) {
    int start = beginBlock(buffer, INTERFACE_DESCRIPTION);
    buffer.putShort((short) LINKTYPE_ETHERNET).putShort((short) 0).putInt(0);
    putOption(buffer, OPTION_IF_NAME, name.getBytes(StandardCharsets.UTF_8));
    putOption(buffer, OPTION_IF_TIMESTAMP_RESOLUTION, new byte[] {NANOSECONDS});
    endBlock(buffer, start);
  }

  /**
   * Writes a block of statistics, {@link #STATISTICS_LENGTH} bytes.
   *
   * @param timeNs nanoseconds since 1970
   * @param received packets that passed, including lost ones
   */
  public static void putStatistics(ByteBuffer buffer, int number, long timeNs, long received, long dropped) {
    int start = beginBlock(buffer, INTERFACE_STATISTICS);
    buffer.putInt(number).putInt((int) (timeNs >>> 32)).putInt((int) timeNs);
    putOption(buffer, OPTION_ISB_RECEIVED, received);
    putOption(buffer, OPTION_ISB_DROPPED, dropped);
    endBlock(buffer, start);
  }

  /** Returns the time of a block of a packet or of statistics, in nanoseconds since 1970. */
  public static long timeNs(ByteBuffer block) {
    return timeNs(block, 0);
  }

  /** Returns the same for the block that begins at {@code at}. */
  static long timeNs(ByteBuffer blocks, int at) {
    int upper = at + TIME_OFFSET;
    return (long) blocks.getInt(upper) << 32 | Integer.toUnsignedLong(blocks.getInt(upper + Integer.BYTES));
  }

  /** Wraps a block into a buffer with the byte order of this class. */
  public static ByteBuffer wrap(byte[] block) {
    return ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void putOption(ByteBuffer buffer, int code, byte[] value) {
    buffer.putShort((short) code).putShort((short) value.length).put(value);
    for (int i = value.length; (i & 3) != 0; i++) {
      buffer.put((byte) 0);
    }
  }

  private static void putOption(ByteBuffer buffer, int code, long value) {
    buffer.putShort((short) code).putShort((short) Long.BYTES).putLong(value);
  }

  private static int beginBlock(ByteBuffer buffer, int type) {
    int start = buffer.position();
    buffer.putInt(type).putInt(0);
    return start;
  }

  private static void endBlock(ByteBuffer buffer, int start) {
    buffer.putInt(OPTION_END);
    int length = buffer.position() - start + Integer.BYTES;
    buffer.putInt(length).putInt(start + Integer.BYTES, length);
  }
}
