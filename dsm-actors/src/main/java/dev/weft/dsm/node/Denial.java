package dev.weft.dsm.node;

import dev.weft.hca.cm.ConnectionManager;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Why a node does not take a connection.
 *
 * @param text of {@link Kind#NO} and {@link Kind#LOST} the reason, for people; of {@link Kind#ASK} the name of the node to ask; of {@link
 *     Kind#STAYS} the bits of the nodes of its side, in hexadecimal
 */
record Denial(Kind kind, String text) {
  enum Kind {
    /** It will not. On the wire it has no mark. */
    NO,
    /** It cannot say yet; it may be asked again. */
    LATER,
    /** Another node gives numbers. */
    ASK,
    /** Who asks counts as lost under that number, or another node has it: it may come as a new one. */
    LOST,
    /** It was told that it counts as lost, and goes on: who says so is to end. */
    STAYS
  }

  /** Text that people read begins with none of these. */
  private static final char FIRST_MARK = '\u0001';

  static Denial no(String why) {
    return new Denial(Kind.NO, why);
  }

  static Denial later() {
    return new Denial(Kind.LATER, "");
  }

  static Denial ask(String node) {
    return new Denial(Kind.ASK, node);
  }

  static Denial lost(String why) {
    return new Denial(Kind.LOST, why);
  }

  static Denial stays(long side) {
    return new Denial(Kind.STAYS, Long.toHexString(side));
  }

  byte[] encode() {
    String mark = kind == Kind.NO ? "" : String.valueOf((char) (FIRST_MARK + kind.ordinal() - 1));
    byte[] all = (mark + text).getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(all, Math.min(all.length, ConnectionManager.PRIVATE_DATA_BYTES_MAX));
  }

  /** Whatever it is that came; null is taken for no reason. */
  static Denial decode(byte[] data) {
    String all = data == null ? "" : new String(data, StandardCharsets.UTF_8);
    int mark = all.isEmpty() ? -1 : all.charAt(0) - FIRST_MARK + 1;
    return mark > 0 && mark < Kind.values().length ? new Denial(Kind.values()[mark], all.substring(1)) : no(all);
  }

  /** Of {@link Kind#STAYS}; 0 if that is none. */
  long side() {
    try {
      return kind == Kind.STAYS ? Long.parseUnsignedLong(text, 16) : 0;
    } catch (NumberFormatException malformed) {
      return 0;
    }
  }
}
