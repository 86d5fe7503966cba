package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EFBIG;
import static dev.weft.pvfs.Errno.EINVAL;
import static dev.weft.pvfs.Errno.EIO;
import static dev.weft.pvfs.Errno.ENAMETOOLONG;
import static dev.weft.pvfs.Errno.ERANGE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A request in a buffer: its header, and a cursor over the rest. Whatever the bytes are, each read gives a checked value or throws
 * {@link RefusedRequest}. One thread.
 */
final class FuseRequest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int OPCODE_AT = 4;
  private static final int UNIQUE_AT = 8;
  private static final int NODE_AT = 16;
  private static final int UID_AT = 24;
  private static final int GID_AT = 28;
  private static final int PID_AT = 32;
  private static final int ERA_NS = 1_000_000_000;
  private static final long SECONDS_MAX = Long.MAX_VALUE / ERA_NS - 1;

  private MemorySegment memory = MemorySegment.NULL;
  private int end;
  private int at;

  /** Takes the first {@code length} bytes of the memory; returns false if they are not a whole request. */
  boolean wrap(MemorySegment request, int length) {
    memory = request;
    end = length;
    at = Protocol.IN_HEADER_BYTES;
    return length >= Protocol.IN_HEADER_BYTES && request.get(INT, 0) == length;
  }

  /** Whether it has at least the number that an answer needs. */
  boolean hasUnique() {
    return end >= UNIQUE_AT + Long.BYTES;
  }

  int length() {
    return end;
  }

  int opcode() {
    return memory.get(INT, OPCODE_AT);
  }

  long unique() {
    return memory.get(LONG, UNIQUE_AT);
  }

  long node() {
    return memory.get(LONG, NODE_AT);
  }

  int uid() {
    return memory.get(INT, UID_AT);
  }

  int gid() {
    return memory.get(INT, GID_AT);
  }

  int pid() {
    return memory.get(INT, PID_AT);
  }

  int remaining() {
    return end - at;
  }

  private int advance(int bytes) {
    if (bytes < 0 || bytes > end - at) {
      throw new RefusedRequest(EIO, Protocol.name(opcode()) + " of " + end + " bytes ends before " + bytes + " bytes at " + at);
    }
    int here = at;
    at += bytes;
    return here;
  }

  FuseRequest skip(int bytes) {
    advance(bytes);
    return this;
  }

  int int32() {
    return memory.get(INT, advance(Integer.BYTES));
  }

  long int64() {
    return memory.get(LONG, advance(Long.BYTES));
  }

  /** Reads an offset or a length, which must not be negative. */
  long offset() {
    long value = int64();
    if (value < 0) {
      throw new RefusedRequest(EINVAL, Protocol.name(opcode()) + " at " + value);
    }
    return value;
  }

  /** Checks that a range does not end beyond the largest offset. */
  static void checkEnd(long offset, long bytes) {
    if (offset > Long.MAX_VALUE - bytes) {
      throw new RefusedRequest(EFBIG, bytes + " bytes at " + offset + " end behind the largest offset");
    }
  }

  /** Reads the size of a transfer. */
  int size(int max) {
    int value = int32();
    if (value < 0 || value > max) {
      throw new RefusedRequest(EINVAL, Protocol.name(opcode()) + " of " + Integer.toUnsignedLong(value) + " bytes, negotiated are " + max);
    }
    return value;
  }

  /** Converts seconds and nanoseconds to nanoseconds since 1970, clamped to the representable range. */
  static long time(long seconds, int nanoseconds) {
    return Math.clamp(seconds, -SECONDS_MAX, SECONDS_MAX) * ERA_NS + Math.clamp(nanoseconds, 0, ERA_NS - 1);
  }

  private byte[] string(int max, int tooLong) {
    int length = 0;
    while (at + length < end && memory.get(ValueLayout.JAVA_BYTE, at + length) != 0) {
      length++;
    }
    if (at + length == end) {
      throw new RefusedRequest(EIO, Protocol.name(opcode()) + " has a name without an end");
    }
    if (length > max) {
      throw new RefusedRequest(tooLong, Protocol.name(opcode()) + " has a name of " + length + " bytes, at most " + max + " can be");
    }
    if (length == 0) {
      throw new RefusedRequest(EINVAL, Protocol.name(opcode()) + " has an empty name");
    }
    byte[] name = bytes(length);
    at++;
    return name;
  }

  /** Reads a name in a directory. */
  byte[] name() {
    byte[] name = string(Protocol.NAME_BYTES_MAX, ENAMETOOLONG);
    for (byte letter : name) {
      if (letter == '/') {
        throw new RefusedRequest(EINVAL, Protocol.name(opcode()) + " has a name with a slash");
      }
    }
    return name;
  }

  /** Reads the target of a symbolic link. */
  byte[] target() {
    return string(Protocol.TARGET_BYTES_MAX, ENAMETOOLONG);
  }

  byte[] attributeName() {
    return string(Protocol.NAME_BYTES_MAX, ERANGE);
  }

  byte[] bytes(int length) {
    byte[] copy = new byte[Math.min(length, remaining())];
    int from = advance(length);
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, copy, 0, copy.length);
    return copy;
  }

  /** Returns memory of the request itself. */
  MemorySegment slice(int length) {
    return memory.asSlice(advance(length), length);
  }
}
