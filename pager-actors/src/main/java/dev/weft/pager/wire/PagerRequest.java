package dev.weft.pager.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A paging request: id (8 bytes), operation (1), flags (1), version (2), rkey (4), area offset (8), length (8), client address
 * (8); with the flag {@link #INLINE}, the data of a write follows. Reusable; not thread safe.
 */
public final class PagerRequest {
  public static final int BYTES = 40;
  public static final int VERSION = 3;
  /** The flag of a write whose data follows in the same message, so that the server need not read it by RDMA. */
  public static final int INLINE = 1;

  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  public long id;
  public PagerOp op;
  public int rkey;
  public long areaOffset;
  public long length;
  public long clientAddress;
  /** Whether {@code length} bytes of data follow. Only for writes. */
  public boolean isInline;

  /** Writes {@link #BYTES} bytes at {@code offset}; inline data must follow them in the message. */
  public int encode(MemorySegment to, long offset) {
    to.set(LONG, offset, id);
    to.set(ValueLayout.JAVA_BYTE, offset + 8, (byte) op.code());
    to.set(ValueLayout.JAVA_BYTE, offset + 9, (byte) (isInline ? INLINE : 0));
    to.set(SHORT, offset + 10, (short) VERSION);
    to.set(INT, offset + 12, rkey);
    to.set(LONG, offset + 16, areaOffset);
    to.set(LONG, offset + 24, length);
    to.set(LONG, offset + 32, clientAddress);
    return BYTES;
  }

  /** Reads a request; returns null on success, otherwise the error. */
  public String decode(MemorySegment from, long offset, int size) {
    if (size < BYTES) {
      return "request of " + size + " bytes, must be at least " + BYTES;
    }
    int version = from.get(SHORT, offset + 10) & 0xffff;
    if (version != VERSION) {
      return "request of version " + version + ", must be " + VERSION;
    }
    int code = from.get(ValueLayout.JAVA_BYTE, offset + 8) & 0xff;
    op = PagerOp.of(code);
    if (op == null) {
      return "operation " + code + ", must be 0 to " + (PagerOp.count() - 1);
    }
    int flags = from.get(ValueLayout.JAVA_BYTE, offset + 9);
    if (flags != 0 && (flags != INLINE || op != PagerOp.WRITE)) {
      return "flags " + flags + " of a " + op + ", must be 0, or " + INLINE + " for a write with data behind it";
    }
    isInline = flags == INLINE;
    id = from.get(LONG, offset);
    rkey = from.get(INT, offset + 12);
    areaOffset = from.get(LONG, offset + 16);
    length = from.get(LONG, offset + 24);
    clientAddress = from.get(LONG, offset + 32);
    if (areaOffset < 0 || length < 1) {
      return "range " + areaOffset + "+" + length + " is not one";
    }
    int data = size - BYTES;
    return data == (isInline ? length : 0) ? null : "request of " + length + " bytes with " + data + " bytes of data behind it, must have "
        + (isInline ? "as many" : "none");
  }
}
