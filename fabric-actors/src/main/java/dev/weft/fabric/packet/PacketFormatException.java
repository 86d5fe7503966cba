package dev.weft.fabric.packet;

/**
 * {@link PacketCodec#decode} got bytes that are not a transport packet of this fabric. The exception has no stack trace,
 * because the bytes are wrong, not the code, and because it may occur at line rate.
 */
public final class PacketFormatException extends RuntimeException {
  /** What is wrong with the bytes. */
  public enum Reason {
    /** Shorter than the headers that its opcode demands, or not a whole number of 4-byte words. */
    LENGTH,
    /** Longer than {@link PacketCodec#MAX_PAYLOAD_LENGTH} allows. */
    TOO_LONG,
    /** BTH opcode that {@link Opcode#isKnown} does not know. */
    OPCODE,
    /** BTH transport header version other than 0. */
    VERSION,
    /** A reserved or congestion bit is set, or the migration bit is not: this fabric models neither. */
    RESERVED,
    /** BTH pad count larger than what follows the headers, or pad bytes that are not zero. */
    PAD,
    /** Payload behind an opcode that carries none. */
    PAYLOAD,
    /** The invariant CRC does not match the bytes. */
    ICRC,
    /** A bit of a burst was flipped. */
    PARITY
  }

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  public PacketFormatException(Reason reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  /** Returns what is wrong, for counters; the message names the values. */
  public Reason reason() {
    return reason;
  }
}
