package dev.weft.pager.wire;

import java.lang.foreign.MemorySegment;

/**
 * The reply to a request: id (8 bytes), status (4, a constant of {@code Errno}), number of extents (2), version (2), then
 * the extents of a STATUS request, 8 bytes each: length, negative for a hole. Reusable; not thread safe.
 */
public final class PagerReply {
  public static final int HEADER_BYTES = 16;
  public static final int EXTENT_BYTES = 8;

  public long id;
  public int status;
  public int extentCount;
  /** The lengths of adjacent runs; negative for holes. */
  public final long[] extents;

  /** Creates a reply with room for as many extents as fit in a message of this size. */
  public PagerReply(int messageBytes) {
    extents = new long[(messageBytes - HEADER_BYTES) / EXTENT_BYTES];
  }

  /** Writes the reply at {@code offset}; returns its length. */
  public int encode(MemorySegment to, long offset) {
    to.set(PagerRequest.LONG, offset, id);
    to.set(PagerRequest.INT, offset + 8, status);
    to.set(PagerRequest.SHORT, offset + 12, (short) extentCount);
    to.set(PagerRequest.SHORT, offset + 14, (short) PagerRequest.VERSION);
    for (int i = 0; i < extentCount; i++) {
      to.set(PagerRequest.LONG, offset + HEADER_BYTES + (long) i * EXTENT_BYTES, extents[i]);
    }
    return HEADER_BYTES + extentCount * EXTENT_BYTES;
  }

  /** Reads a reply; returns null on success, otherwise the error. */
  public String decode(MemorySegment from, long offset, int size) {
    if (size < HEADER_BYTES) {
      return "reply of " + size + " bytes, must be at least " + HEADER_BYTES;
    }
    int version = from.get(PagerRequest.SHORT, offset + 14) & 0xffff;
    if (version != PagerRequest.VERSION) {
      return "reply of version " + version + ", must be " + PagerRequest.VERSION;
    }
    extentCount = from.get(PagerRequest.SHORT, offset + 12) & 0xffff;
    if (extentCount > extents.length || size != HEADER_BYTES + extentCount * EXTENT_BYTES) {
      return "reply of " + size + " bytes with " + extentCount + " extents, of which " + extents.length + " fit";
    }
    id = from.get(PagerRequest.LONG, offset);
    status = from.get(PagerRequest.INT, offset + 8);
    for (int i = 0; i < extentCount; i++) {
      extents[i] = from.get(PagerRequest.LONG, offset + HEADER_BYTES + (long) i * EXTENT_BYTES);
      if (extents[i] == 0 || extents[i] == Long.MIN_VALUE) {
        return "extent " + i + " has length " + extents[i];
      }
    }
    return null;
  }
}
