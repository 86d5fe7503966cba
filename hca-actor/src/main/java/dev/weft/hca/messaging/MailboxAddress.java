package dev.weft.hca.messaging;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The address of a mailbox: a ring of slots into which the peer writes messages by RDMA, in order, instead of sending them. The peer receives it when
 * the connection is made.
 *
 * @param address remote address of the first slot
 * @param slots number of messages that fit; the protocol must ensure that no more are in flight or unread
 * @param slotBytes size of a slot: the longest message plus {@link #TRAILER_BYTES}
 */
public record MailboxAddress(long address, int rkey, int slots, int slotBytes) {
  /** Size of the length and number that follow each message at the end of its slot. */
  public static final int TRAILER_BYTES = 8;
  /** Size of an encoded address. */
  public static final int BYTES = 20;

  /** No mailbox: the peer sends its messages. */
  public static final MailboxAddress NONE = new MailboxAddress(0, 0, 0, 0);

  /** Encodes the address in {@link #BYTES} bytes for the peer. */
  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(address).putInt(rkey).putInt(slots).putInt(slotBytes).array();
  }

  /** Decodes an address from {@link #BYTES} bytes. */
  public static MailboxAddress decode(ByteBuffer in) {
    ByteBuffer own = in.slice(in.position(), BYTES).order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.position() + BYTES);
    return new MailboxAddress(own.getLong(), own.getInt(), own.getInt(), own.getInt());
  }

  public boolean isNone() {
    return slots == 0;
  }

  /** Whether the mailbox has room for {@code messages} unread messages of {@code messageBytes} bytes. */
  public boolean holds(int messages, int messageBytes) {
    return slots >= messages && slotBytes >= messageBytes + TRAILER_BYTES;
  }
}
