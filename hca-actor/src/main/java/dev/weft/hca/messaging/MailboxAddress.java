package dev.weft.hca.messaging;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Where messages can be written to by RDMA instead of being sent: a ring of slots, filled one after another. It is told to the peer when
 * the connection is made.
 *
 * @param address remote address of the first slot
 * @param slots messages that fit; the protocol sees to it that no more are on their way, or unread
 * @param slotBytes size of a slot: the longest message and {@link #TRAILER_BYTES}
 */
public record MailboxAddress(long address, int rkey, int slots, int slotBytes) {
  /** Length and number, behind each message, at the end of its slot. */
  public static final int TRAILER_BYTES = 8;
  /** Encoded size. */
  public static final int BYTES = 20;

  /** No mailbox: messages are to be sent. */
  public static final MailboxAddress NONE = new MailboxAddress(0, 0, 0, 0);

  /** {@link #BYTES} bytes for the peer. */
  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(address).putInt(rkey).putInt(slots).putInt(slotBytes).array();
  }

  /** Takes {@link #BYTES} bytes. */
  public static MailboxAddress decode(ByteBuffer in) {
    ByteBuffer own = in.slice(in.position(), BYTES).order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.position() + BYTES);
    return new MailboxAddress(own.getLong(), own.getInt(), own.getInt(), own.getInt());
  }

  public boolean isNone() {
    return slots == 0;
  }

  /** Whether messages of that length find room in it, so many of them unread. */
  public boolean holds(int messages, int messageBytes) {
    return slots >= messages && slotBytes >= messageBytes + TRAILER_BYTES;
  }
}
