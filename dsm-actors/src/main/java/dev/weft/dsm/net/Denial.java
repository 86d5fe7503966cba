package dev.weft.dsm.net;

import dev.weft.hca.cm.ConnectionManager;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The reason why a node refuses a connection.
 *
 * @param text the reason for users with {@link Kind#NO} and {@link Kind#LOST}; the name of the node to ask with {@link Kind#ASK}; the bits of the
 *     nodes of the sender's side, in hexadecimal, with {@link Kind#STAYS}
 */
public record Denial(Kind kind, String text) {
  public enum Kind {
    /** Refused for good. It has no mark on the wire. */
    NO,
    /** The node cannot decide yet; ask again. */
    LATER,
    /** Another node assigns numbers. */
    ASK,
    /** The asking node counts as lost under its number, or another node has the number; it may join as a new node. */
    LOST,
    /** The sender was told that it counts as lost, and goes on: the other side must end. */
    STAYS
  }

  /** Texts for users begin with none of these marks. */
  private static final char FIRST_MARK = '\u0001';

  public static Denial no(String why) {
    return new Denial(Kind.NO, why);
  }

  public static Denial later() {
    return new Denial(Kind.LATER, "");
  }

  public static Denial ask(String node) {
    return new Denial(Kind.ASK, node);
  }

  public static Denial lost(String why) {
    return new Denial(Kind.LOST, why);
  }

  public static Denial stays(long side) {
    return new Denial(Kind.STAYS, Long.toHexString(side));
  }

  public byte[] encode() {
    String mark = kind == Kind.NO ? "" : String.valueOf((char) (FIRST_MARK + kind.ordinal() - 1));
    byte[] all = (mark + text).getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(all, Math.min(all.length, ConnectionManager.PRIVATE_DATA_BYTES_MAX));
  }

  /** Decodes any data; null means no reason. */
  public static Denial decode(byte[] data) {
    String all = data == null ? "" : new String(data, StandardCharsets.UTF_8);
    int mark = all.isEmpty() ? -1 : all.charAt(0) - FIRST_MARK + 1;
    return mark > 0 && mark < Kind.values().length ? new Denial(Kind.values()[mark], all.substring(1)) : no(all);
  }

  /** The bits of the nodes with {@link Kind#STAYS}; 0 if they are malformed. */
  public long side() {
    try {
      return kind == Kind.STAYS ? Long.parseUnsignedLong(text, 16) : 0;
    } catch (NumberFormatException malformed) {
      return 0;
    }
  }
}
