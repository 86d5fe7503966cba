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
    REQUEST_TOO_LONG
  }

  /**
   * What a client asks for.
   *
   * @param areaBytes memory it wants
   * @param credits requests it would like to have outstanding
   * @param maxRequestBytes its longest read or write
   * @param inlineBytes longest write whose data it would send with the request, 0 for none
   * @param mailbox where it wants replies written; none if they are to be sent
   */
  public record Wish(long areaBytes, int credits, int maxRequestBytes, int inlineBytes, MailboxAddress mailbox) {
    private static final int BYTES = 28 + MailboxAddress.BYTES;

    public byte[] encode() {
      return start(BYTES).putLong(areaBytes).putInt(credits).putInt(maxRequestBytes).putInt(inlineBytes).put(mailbox.encode()).array();
    }

    /** The wish, or null if these bytes are none. */
    public static Wish decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      return in == null ? null : new Wish(in.getLong(), in.getInt(), in.getInt(), in.getInt(), MailboxAddress.decode(in));
    }
  }

  /**
   * What a server gives.
   *
   * @param credits requests that may be outstanding
   * @param inlineBytes longest write whose data may come with the request, 0 for none
   * @param mailbox where it wants requests written; none if they are to be sent
   */
  public record Grant(int credits, int inlineBytes, MailboxAddress mailbox) {
    private static final int BYTES = 16 + MailboxAddress.BYTES;

    public byte[] encode() {
      return start(BYTES).putInt(credits).putInt(inlineBytes).put(mailbox.encode()).array();
    }

    /** The grant, or null if these bytes are none. */
    public static Grant decode(byte[] data) {
      ByteBuffer in = check(data, BYTES);
      return in == null ? null : new Grant(in.getInt(), in.getInt(), MailboxAddress.decode(in));
    }
  }

  /**
   * Why a server refuses.
   *
   * @param freeBytes longest area that it could give now
   */
  public record Denial(Refusal reason, long freeBytes) {
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
