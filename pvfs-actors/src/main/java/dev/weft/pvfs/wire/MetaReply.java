package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The manager's answer.
 *
 * @param errno 0, or why not
 * @param attributes of the file in question; null where there are none
 * @param number what the operation has to say beside that; with attributes of a regular file, 1 if only its daemons know its length
 * @param value bytes that the operation has to say: a target, a value, names, a page of a directory ({@link DirectoryPage})
 * @param grant for OPEN, CREATE, RECLAIM and RENEW of a regular file: the capability for all that the client has it open for; otherwise null
 */
public record MetaReply(long id, int errno, FileAttributes attributes, long number, byte[] value, Grant grant) {
  /** Longest reply. */
  public static final int BYTES_MAX = 16_384;
  /** Longest value. */
  public static final int VALUE_BYTES_MAX = BYTES_MAX - 128;
  private static final byte[] NOTHING = {};
  private static final int HAS_ATTRIBUTES = 1;
  private static final int HAS_GRANT = 2;

  /** Without a capability. */
  public MetaReply(long id, int errno, FileAttributes attributes, long number, byte[] value) {
    this(id, errno, attributes, number, value, null);
  }

  public static MetaReply failed(long id, int errno) {
    return new MetaReply(id, errno, null, 0, NOTHING);
  }

  public static MetaReply ok(long id) {
    return failed(id, 0);
  }

  public static MetaReply of(long id, FileAttributes attributes) {
    return new MetaReply(id, 0, attributes, 0, NOTHING);
  }

  public static MetaReply of(long id, long number, byte[] value) {
    return new MetaReply(id, 0, null, number, value);
  }

  /** Writes it at the buffer's position. */
  public void encode(ByteBuffer to) {
    int has = (attributes == null ? 0 : HAS_ATTRIBUTES) | (grant == null ? 0 : HAS_GRANT);
    to.order(ByteOrder.LITTLE_ENDIAN).put(DaemonRequest.VERSION).put((byte) has).putShort((short) errno).putLong(id).putLong(number);
    if (attributes != null) {
      attributes.encode(to);
    }
    if (grant != null) {
      to.put(grant.encode());
    }
    to.putShort((short) value.length).put(value);
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if it is none; the message says why
   */
  public static MetaReply decode(ByteBuffer from) {
    from.order(ByteOrder.LITTLE_ENDIAN);
    try {
      byte version = from.get();
      if (version != DaemonRequest.VERSION) {
        throw new IllegalArgumentException("version " + version + " of the protocol, this client has " + DaemonRequest.VERSION);
      }
      int has = from.get();
      int errno = from.getShort();
      long id = from.getLong();
      long number = from.getLong();
      FileAttributes attributes = (has & HAS_ATTRIBUTES) != 0 ? FileAttributes.decode(from) : null;
      Grant grant = (has & HAS_GRANT) != 0 ? Grant.decode(from) : null;
      return new MetaReply(id, errno, attributes, number, MetaRequest.bytes(from, VALUE_BYTES_MAX), grant);
    } catch (BufferUnderflowException cut) {
      throw new IllegalArgumentException("a reply that was cut short", cut);
    }
  }
}
