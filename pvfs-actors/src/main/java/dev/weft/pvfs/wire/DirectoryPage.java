package dev.weft.pvfs.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** A page of a directory in a {@link MetaReply}: as many entries as fit. */
public final class DirectoryPage {
  private static final int HEAD_BYTES = 11;

  /**
   * An entry.
   *
   * @param cookie where the next page begins if this is the last entry of its page
   * @param isLengthOpen whether only the daemons know the length of this regular file
   */
  public record Entry(long cookie, byte[] name, FileAttributes attributes, boolean isLengthOpen) {}

  private final int bytesMax;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  public DirectoryPage(int bytesMax) {
    this.bytesMax = Math.min(bytesMax, MetaReply.VALUE_BYTES_MAX);
  }

  /** Adds an entry; returns false if it does not fit. */
  public boolean add(Entry entry) {
    int length = HEAD_BYTES + FileAttributes.BYTES + entry.name().length;
    if (bytes.size() + length > bytesMax) {
      return false;
    }
    ByteBuffer coded = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putLong(entry.cookie()).put((byte) (entry.isLengthOpen() ? 1 : 0));
    entry.attributes().encode(coded);
    coded.putShort((short) entry.name().length).put(entry.name());
    bytes.writeBytes(coded.array());
    return true;
  }

  public byte[] encode() {
    return bytes.toByteArray();
  }

  /**
   * Reads a page.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  public static List<Entry> decode(byte[] value) {
    ByteBuffer from = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    List<Entry> entries = new ArrayList<>();
    try {
      while (from.hasRemaining()) {
        long cookie = from.getLong();
        boolean isLengthOpen = from.get() != 0;
        FileAttributes attributes = FileAttributes.decode(from);
        entries.add(new Entry(cookie, MetaRequest.bytes(from, 255), attributes, isLengthOpen));
      }
    } catch (java.nio.BufferUnderflowException cut) {
      throw new IllegalArgumentException("a page of a directory that was cut short", cut);
    }
    return entries;
  }
}
