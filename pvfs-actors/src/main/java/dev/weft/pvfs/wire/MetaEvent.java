package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What the manager tells a client that has asked for it by {@link MetaOp#EVENTS}.
 *
 * @param number one more than that of the event before; the client says up to which it has done what they ask
 * @param subject a ticket, or the number of a file
 */
public record MetaEvent(long number, Kind kind, long subject) {
  /** What has happened. The order is that of the wire. */
  public enum Kind {
    /** The lock that was asked for under the ticket is held. */
    LOCKED,
    /** Somebody waits for the client's {@link FileLock#APPEND} lock of the file. */
    WANTED,
    /** What the client remembers of the file is not true any more; of a directory, its names too. */
    CHANGED,
    /** All that the client remembers is not true any more. */
    ALL_CHANGED;

    private static final Kind[] ALL = values();
  }

  private static final int BYTES = 17;
  /** Events of one answer. */
  public static final int MAX = (MetaReply.VALUE_BYTES_MAX - Long.BYTES) / BYTES;

  /**
   * What the manager answers to {@link MetaOp#EVENTS}.
   *
   * @param leaseNs how long the client may believe what it remembers, from when it asked
   */
  public record Page(long leaseNs, List<MetaEvent> events) {}

  /** At most {@link #MAX} of them, as the value of an answer. */
  public static byte[] encode(long leaseNs, List<MetaEvent> events) {
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + events.size() * BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(leaseNs);
    events.forEach(event -> out.putLong(event.number).put((byte) event.kind.ordinal()).putLong(event.subject));
    return out.array();
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static Page decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    List<MetaEvent> events = new ArrayList<>();
    try {
      long leaseNs = in.getLong();
      while (in.hasRemaining()) {
        long number = in.getLong();
        int kind = in.get();
        if (kind < 0 || kind >= Kind.ALL.length) {
          throw new IllegalArgumentException("event " + kind + ", which there is not");
        }
        events.add(new MetaEvent(number, Kind.ALL[kind], in.getLong()));
      }
      return new Page(leaseNs, events);
    } catch (BufferUnderflowException cut) {
      throw new IllegalArgumentException("an event that was cut short", cut);
    }
  }
}
