package dev.weft.pager.wire;

import dev.weft.hca.messaging.MailboxAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Private data of the connection set-up: what the client wants, what the server grants, or why it refuses. */
public final class Handshake {
  private static final int MAGIC = 0x52475057;

  private Handshake() {}

  /** Why a server took no client. */
  public enum Refusal {
    /** The private data was not that of this protocol and version. */
    BAD_REQUEST,
    /** The memory that is left is too little or too fragmented. */
    NO_MEMORY,
    /** As many clients as the server serves are connected. */
    TOO_MANY_CLIENTS,
    /** The server's HCA has no room for another connection. */
    NO_HCA_RESOURCES,
    /** The client's longest request is longer than the server's. */
    REQUEST_TOO_LONG,
    /** The area that the client named is not kept: the server has started anew, or has given it up. */
    UNKNOWN_AREA,
    /** No refusal: the area that the client gave back is free. */
    RELEASED
  }

  /** What a client wants with an area. */
  public enum Purpose {
    /** A new one. */
    NEW,
    /** The one that it names, whose connection was lost: what is in it stays, what is still under way to it from before is void. */
    RESUME,
    /** No connection: the one that it names is of no use any more. */
    RELEASE
  }

  /**
   * Names an area for as long as its server keeps it. Servers draw the incarnation when they start, so an area of another run has another
   * name, whatever it holds.
   *
   * @param incarnation of the server
   * @param number of the area among all that this incarnation has ever lent
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
   * What a client asks for.
   *
   * @param purpose what it wants with the area
   * @param area the one that it has, {@link AreaName#NONE} if it wants a new one
   * @param areaBytes memory it wants, or has
   * @param credits requests it would like to have outstanding
   * @param maxRequestBytes its longest read or write
   * @param inlineBytes longest write whose data it would send with the request, 0 for none
   * @param mailbox where it wants replies written; none if they are to be sent
   */
  public record Wish(Purpose purpose, AreaName area, long areaBytes, int credits, int maxRequestBytes, int inlineBytes,
      MailboxAddress mailbox) {
    private static final int BYTES = 32 + AreaName.BYTES + MailboxAddress.BYTES;

    /** A new area. */
    public Wish(long areaBytes, int credits, int maxRequestBytes, int inlineBytes, MailboxAddress mailbox) {
      this(Purpose.NEW, AreaName.NONE, areaBytes, credits, maxRequestBytes, inlineBytes, mailbox);
    }

    public byte[] encode() {
      return start(BYTES).putInt(purpose.ordinal()).putLong(area.incarnation).putLong(area.number).putLong(areaBytes).putInt(credits)
          .putInt(maxRequestBytes).putInt(inlineBytes).put(mailbox.encode()).array();
    }

    /** The wish, or null if these bytes are none. */
    public static Wish decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      int purpose = in == null ? -1 : in.getInt();
      return purpose < 0 || purpose >= Purpose.values().length ? null : new Wish(Purpose.values()[purpose], AreaName.decode(in), in.getLong(),
          in.getInt(), in.getInt(), in.getInt(), MailboxAddress.decode(in));
    }
  }

  /**
   * What a server gives.
   *
   * @param credits requests that may be outstanding
   * @param inlineBytes longest write whose data may come with the request, 0 for none
   * @param area how the area is called from now on, or was before
   * @param mailbox where it wants requests written; none if they are to be sent
   */
  public record Grant(int credits, int inlineBytes, AreaName area, MailboxAddress mailbox) {
    private static final int BYTES = 16 + AreaName.BYTES + MailboxAddress.BYTES;

    public byte[] encode() {
      return start(BYTES).putInt(credits).putInt(inlineBytes).putLong(area.incarnation).putLong(area.number).put(mailbox.encode()).array();
    }

    /** The grant, or null if these bytes are none. */
    public static Grant decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      return in == null ? null : new Grant(in.getInt(), in.getInt(), AreaName.decode(in), MailboxAddress.decode(in));
    }
  }

  /**
   * Why a server refuses.
   *
   * @param freeBytes longest area that it could give now
   */
  public record Denial(Refusal reason, long freeBytes) {
    /** What it means to the client. */
    public String why() {
      return reason == Refusal.UNKNOWN_AREA ? "it does not hold the area any more: it has started anew, or given it up"
          : "refused: " + reason + ", it could lend " + freeBytes + " bytes";
    }

    public byte[] encode() {
      return start(20).putInt(reason.ordinal()).putLong(freeBytes).array();
    }

    /** The denial, or null if these bytes are none. */
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

  /** Private data may have been padded on its way. */
  private static ByteBuffer check(byte[] data, int bytes) {
    if (data == null || data.length < bytes) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    return in.getInt() == MAGIC && in.getInt() == PagerRequest.VERSION ? in : null;
  }
}
