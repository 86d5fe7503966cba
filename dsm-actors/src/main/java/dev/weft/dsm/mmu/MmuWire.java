package dev.weft.dsm.mmu;

import dev.weft.dsm.wire.ObjectName;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The messages between an application and its node: requests of 168 bytes, each answered by one reply of 256, in the byte order of the machine.
 * docs/internals/page-protection.md describes the layout.
 */
final class MmuWire {
  static final int VERSION = 2;
  static final int REQUEST_BYTES = 168;
  static final int REPLY_BYTES = 256;
  /** File name in the directory of the node. */
  static final String SOCKET_NAME = "weft-dsm";

  /** Requests. */
  static final int HELLO = 1;
  static final int MAP = 2;
  static final int SERVE = 3;
  static final int LOCK = 4;
  static final int UNLOCK = 5;
  static final int BARRIER = 6;
  static final int WHY = 7;
  static final int BYE = 8;
  static final int AWAIT = 9;
  static final int SIGNAL = 10;
  static final int PREFETCH = 11;
  static final int PUSH = 12;
  static final int FREE = 13;
  static final int CANCEL = 14;

  /** Status of a reply. */
  static final int OK = 0;
  static final int REFUSED = 1;
  static final int NODE_LOST = 2;
  static final int WRONG_VALUE = 3;

  /** Value of a refusal: it concerns the request, or the connection, which then ends. */
  static final int REQUEST = 0;
  static final int CONNECTION = 1;

  /** How a lock was acquired, or that the wait timed out. */
  static final int RELEASED = 0;
  static final int HOLDER_LOST = 1;
  static final int TIMED_OUT = 2;

  /** Offset of a number of 8 bytes that the client chooses, in the request and its reply. */
  static final int NUMBER_AT = 24;
  private static final int NAME_AT = 40;
  private static final int LOCK_AT = 104;
  private static final int TEXT_AT = 40;
  private static final int NAME_BYTES_MAX = LOCK_AT - NAME_AT;
  private static final int TEXT_BYTES_MAX = REPLY_BYTES - TEXT_AT;

  private MmuWire() {}

  /**
   * A request.
   *
   * @param what one of the requests
   * @param kind HELLO: the version; MAP: the kind of array; SIGNAL: 1 for all waiting threads; PREFETCH, PUSH: the array's number
   * @param a MAP: elements; SERVE: the array's number; LOCK, AWAIT: nanoseconds to wait at most, -1 for ever; BARRIER: parties; PREFETCH, PUSH:
   *     first element; CANCEL: number of the request
   * @param b MAP: bytes of a minipage; SERVE: address of the view; PREFETCH, PUSH: elements
   * @param name name of the object
   * @param lock AWAIT, SIGNAL: the condition's lock
   */
  record Request(int what, int kind, long a, long b, String name, String lock) {
    Request(int what, int kind, long a, long b, String name) {
      this(what, kind, a, b, name, "");
    }

    void encode(MemorySegment to) {
      to.fill((byte) 0);
      put(to, name, 32, NAME_AT);
      put(to, lock, 36, LOCK_AT);
      to.set(ValueLayout.JAVA_INT, 0, what);
      to.set(ValueLayout.JAVA_INT, 4, kind);
      to.set(ValueLayout.JAVA_LONG, 8, a);
      to.set(ValueLayout.JAVA_LONG, 16, b);
    }

    private static void put(MemorySegment to, String text, int lengthAt, int at) {
      if (!text.isEmpty()) {
        ObjectName.require(text);
      }
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      to.set(ValueLayout.JAVA_INT, lengthAt, bytes.length);
      MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    static Request decode(MemorySegment from) {
      return new Request(from.get(ValueLayout.JAVA_INT, 0), from.get(ValueLayout.JAVA_INT, 4), from.get(ValueLayout.JAVA_LONG, 8),
          from.get(ValueLayout.JAVA_LONG, 16), name(from, 32, NAME_AT), name(from, 36, LOCK_AT));
    }

    private static String name(MemorySegment from, int lengthAt, int at) {
      int length = from.get(ValueLayout.JAVA_INT, lengthAt);
      if (length < 0 || length > NAME_BYTES_MAX) {
        throw new IllegalArgumentException("a name of " + length + " bytes, must be from 0 to " + NAME_BYTES_MAX);
      }
      ByteBuffer bytes = ByteBuffer.wrap(bytesOf(from, at, length));
      String name;
      try {
        name = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      } catch (CharacterCodingException malformed) { // Replacement characters would make one name of different ones.
        throw new IllegalArgumentException("a name that is not UTF-8 at byte " + bytes.position() + ", must be printable characters in UTF-8", malformed);
      }
      if (!name.isEmpty()) {
        ObjectName.require(name);
      }
      return name;
    }
  }

  /**
   * A reply.
   *
   * @param status result of the request
   * @param value HELLO: the version; MAP: the array's number; LOCK: how it was acquired; AWAIT: 2 if no signal came; CANCEL: 1 if the request
   *     waited, 0 if not; refused: 1 if the connection is refused, and so ends
   * @param a HELLO: bytes of a page; MAP: bytes of a minipage
   * @param b HELLO: number of the node; MAP: bytes of the array
   * @param text what is wrong and what is required; WHY: the last problem of a fault
   */
  record Reply(int status, int value, long a, long b, String text) {
    static Reply ok(int value, long a, long b) {
      return new Reply(OK, value, a, b, "");
    }

    void encode(MemorySegment to) {
      byte[] all = text.getBytes(StandardCharsets.UTF_8);
      byte[] bytes = Arrays.copyOf(all, Math.min(all.length, TEXT_BYTES_MAX));
      to.fill((byte) 0);
      to.set(ValueLayout.JAVA_INT, 0, status);
      to.set(ValueLayout.JAVA_INT, 4, value);
      to.set(ValueLayout.JAVA_LONG, 8, a);
      to.set(ValueLayout.JAVA_LONG, 16, b);
      to.set(ValueLayout.JAVA_INT, 32, bytes.length);
      MemorySegment.copy(bytes, 0, to, ValueLayout.JAVA_BYTE, TEXT_AT, bytes.length);
    }

    static Reply decode(MemorySegment from) {
      int length = Math.clamp(from.get(ValueLayout.JAVA_INT, 32), 0, TEXT_BYTES_MAX);
      return new Reply(from.get(ValueLayout.JAVA_INT, 0), from.get(ValueLayout.JAVA_INT, 4), from.get(ValueLayout.JAVA_LONG, 8),
          from.get(ValueLayout.JAVA_LONG, 16), textOf(from, TEXT_AT, length));
    }
  }

  private static String textOf(MemorySegment from, int at, int length) {
    return new String(bytesOf(from, at, length), StandardCharsets.UTF_8);
  }

  private static byte[] bytesOf(MemorySegment from, int at, int length) {
    return from.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
  }

  static MemorySegment buffer(int bytes) {
    return Arena.ofAuto().allocate(bytes, 8);
  }
}
