package dev.weft.pager.wire;

import dev.weft.hca.messaging.MailboxAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The private data of connection set-up: the request of the client, and the grant or the rejection of the server. */
public final class Handshake {
  private static final int MAGIC = 0x52475057;

  private Handshake() {}

  /** The reason why a server has rejected a client. */
  public enum Refusal {
    /** The private data does not belong to this protocol and version. */
    BAD_REQUEST,
    /** The free memory is too little or too fragmented. */
    NO_MEMORY,
    /** The server has reached its limit of clients. */
    TOO_MANY_CLIENTS,
    /** The server's HCA has no room for another connection. */
    NO_HCA_RESOURCES,
    /** The client's longest request is longer than the server allows. */
    REQUEST_TOO_LONG,
    /** The server does not have the named area: it has restarted or has released the area. */
    UNKNOWN_AREA,
    /** Not an error: the area that the client released is free. */
    RELEASED
  }

  /** The purpose of a client's request for an area. */
  public enum Purpose {
    /** The client wants a new area. */
    NEW,
    /** The client wants its area back after a lost connection. The data stays; transfers that are still in flight on the old connection are void. */
    RESUME,
    /** The client releases the named area and wants no connection. */
    RELEASE
  }

  /**
   * The name of an area while its server keeps it. Servers draw a random incarnation when they start, so areas of different runs have different
   * names.
   *
   * @param incarnation the incarnation of the server
   * @param number the number of the area among all areas that this incarnation has lent
   */
  public record AreaName(long incarnation, long number) {
    private static final int BYTES = 16;
    /** No area. */
    public static final AreaName NONE = new AreaName(0, 0);

    public boolean isNone() {
      return equals(NONE);
    }

    private static AreaName decode(ByteBuffer in) {
      return new AreaName(in.getLong(), in.getLong());
    }
  }

  /**
   * A client's request.
   *
   * @param purpose purpose of the request
   * @param area the client's area; {@link AreaName#NONE} for a new one
   * @param areaBytes size of the area
   * @param credits number of outstanding requests that the client would like to have
   * @param maxRequestBytes length of its longest read or write
   * @param inlineBytes length of the longest write that it would send with its data, 0 for none
   * @param mailbox mailbox into which the server must write replies; none if it must send them
   */
  public record Wish(Purpose purpose, AreaName area, long areaBytes, int credits, int maxRequestBytes, int inlineBytes,
      MailboxAddress mailbox) {
    private static final int BYTES = 32 + AreaName.BYTES + MailboxAddress.BYTES;

    /** Creates a request for a new area. */
    public Wish(long areaBytes, int credits, int maxRequestBytes, int inlineBytes, MailboxAddress mailbox) {
      this(Purpose.NEW, AreaName.NONE, areaBytes, credits, maxRequestBytes, inlineBytes, mailbox);
    }

    public byte[] encode() {
      return start(BYTES).putInt(purpose.ordinal()).putLong(area.incarnation).putLong(area.number).putLong(areaBytes).putInt(credits)
          .putInt(maxRequestBytes).putInt(inlineBytes).put(mailbox.encode()).array();
    }

    /** Decodes a request; returns null if the bytes are invalid. */
    public static Wish decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      int purpose = in == null ? -1 : in.getInt();
      return purpose < 0 || purpose >= Purpose.values().length ? null : new Wish(Purpose.values()[purpose], AreaName.decode(in), in.getLong(),
          in.getInt(), in.getInt(), in.getInt(), MailboxAddress.decode(in));
    }
  }

  /**
   * A server's grant.
   *
   * @param credits number of requests that may be outstanding
   * @param inlineBytes length of the longest write that may be sent with its data, 0 for none
   * @param area name of the area, new or resumed
   * @param mailbox mailbox into which the client must write requests; none if it must send them
   */
  public record Grant(int credits, int inlineBytes, AreaName area, MailboxAddress mailbox) {
    private static final int BYTES = 16 + AreaName.BYTES + MailboxAddress.BYTES;

    public byte[] encode() {
      return start(BYTES).putInt(credits).putInt(inlineBytes).putLong(area.incarnation).putLong(area.number).put(mailbox.encode()).array();
    }

    /** Decodes a grant; returns null if the bytes are invalid. */
    public static Grant decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      return in == null ? null : new Grant(in.getInt(), in.getInt(), AreaName.decode(in), MailboxAddress.decode(in));
    }
  }

  /**
   * A server's rejection.
   *
   * @param freeBytes size of the largest area that the server could lend now
   */
  public record Denial(Refusal reason, long freeBytes) {
    /** Returns an explanation for the client. */
    public String why() {
      return reason == Refusal.UNKNOWN_AREA ? "it does not hold the area any more: it has started anew, or given it up"
          : "refused: " + reason + ", it could lend " + freeBytes + " bytes";
    }

    public byte[] encode() {
      return start(20).putInt(reason.ordinal()).putLong(freeBytes).array();
    }

    /** Decodes a rejection; returns null if the bytes are invalid. */
    public static Denial decode(byte[] data) {
      ByteBuffer in = check(data, 20);
      if (in == null) {
        return null;
      }
      int reason = in.getInt();
      return reason < 0 || reason >= Refusal.values().length ? null : new Denial(Refusal.values()[reason], in.getLong());
    }
  }

  private static ByteBuffer start(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).putInt(PagerRequest.VERSION);
  }

  /** Checks the length and the header; the private data may be longer, because the transport may pad it. */
  private static ByteBuffer check(byte[] data, int bytes) {
    if (data == null || data.length < bytes) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    return in.getInt() == MAGIC && in.getInt() == PagerRequest.VERSION ? in : null;
  }
}
