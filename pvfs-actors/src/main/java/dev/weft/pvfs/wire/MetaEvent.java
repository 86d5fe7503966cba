package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * An event that the manager sends to a client that has asked by {@link MetaOp#EVENTS}.
 *
 * @param number one more than that of the event before; the client reports the last one that it has handled
 * @param subject a ticket, or the number of a file
 */
public record MetaEvent(long number, Kind kind, long subject) {
  /** The kind of event. The order is that of the wire. */
  public enum Kind {
    /** The client now holds the lock that it requested under the ticket. */
    LOCKED,
    /** Another client waits for this client's {@link FileLock#APPEND} lock of the file. */
    WANTED,
    /** The client's cached attributes of the file are no longer valid; for a directory, nor are its cached names. */
    CHANGED,
    /** Nothing that the client has cached is valid any more. */
    ALL_CHANGED;

    private static final Kind[] ALL = values();
  }

  private static final int BYTES = 17;
  /** Maximum number of events in one answer. */
  public static final int MAX = (MetaReply.VALUE_BYTES_MAX - Long.BYTES) / BYTES;

  /**
   * The manager's answer to {@link MetaOp#EVENTS}.
   *
   * @param leaseNs how long the client may use its cache, from when it asked
   */
  public record Page(long leaseNs, List<MetaEvent> events) {}

  /** Writes at most {@link #MAX} events as the value of an answer. */
  public static byte[] encode(long leaseNs, List<MetaEvent> events) {
    ByteBuffer out = ByteBuffer.allocate(Long.BYTES + events.size() * BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(leaseNs);
    events.forEach(event -> out.putLong(event.number).put((byte) event.kind.ordinal()).putLong(event.subject));
    return out.array();
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalArgumentException if it is invalid
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
