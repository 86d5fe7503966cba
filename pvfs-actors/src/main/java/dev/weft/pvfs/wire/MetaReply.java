package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;

/**
 * The manager's answer.
 *
 * @param errno 0, or the error
 * @param attributes of the file; null if there are none
 * @param number a further result of the operation; with attributes, some of the flags from {@link #LENGTH_OPEN} on
 * @param value result in bytes: a target, a value, names, a page of a directory ({@link DirectoryPage}). For an operation that changes something, the
 *     changed inodes, if the client listens to events
 * @param grant for OPEN, CREATE, RECLAIM and RENEW of a regular file: the capability for all that the client has it open for; otherwise null
 */
public record MetaReply(long id, int errno, FileAttributes attributes, long number, byte[] value, Grant grant) {
  /** Longest reply. */
  public static final int BYTES_MAX = 16_384;
  /** Longest value. */
  public static final int VALUE_BYTES_MAX = BYTES_MAX - 128;
  /** Only the daemons of the regular file know its length. */
  public static final long LENGTH_OPEN = 1;
  /** The client may cache the attributes until an event {@link MetaEvent.Kind#CHANGED}. */
  public static final long LEASED = 2;
  /** The client may cache what the name leads to, or that there is no such name, until the directory changes. */
  public static final long PARENT_LEASED = 4;
  /** At OPEN and CREATE: no other session has the file open for writing, and the attributes have its length. */
  public static final long SOLE = 8;
  private static final byte[] NOTHING = {};
  private static final int HAS_ATTRIBUTES = 1;
  private static final int HAS_GRANT = 2;

  /** A reply without a capability. */
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

  /**
   * The changes of an operation.
   *
   * @param inodes all changed inodes
   * @param directory the directory that the operation named, as it is now; null if there is none
   */
  public record Changed(long[] inodes, FileAttributes directory) {
    private static final Changed NOTHING_CHANGED = new Changed(new long[0], null);
  }

  /** Writes the changes of an operation as the value of its reply. */
  public static byte[] encodeChanged(Collection<Long> inodes, FileAttributes directory) {
    ByteBuffer out = ByteBuffer.allocate(Integer.BYTES + inodes.size() * Long.BYTES + (directory == null ? 0 : FileAttributes.BYTES));
    out.order(ByteOrder.LITTLE_ENDIAN).putInt(inodes.size());
    inodes.forEach(out::putLong);
    if (directory != null) {
      directory.encode(out);
    }
    return out.array();
  }

  /**
   * Reads what {@link #encodeChanged} has written; returns no changes if there is no value.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  public Changed changed() {
    if (value.length == 0) {
      return Changed.NOTHING_CHANGED;
    }
    try {
      ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
      long[] inodes = new long[Math.clamp(in.getInt(), 0, in.remaining() / Long.BYTES)];
      for (int i = 0; i < inodes.length; i++) {
        inodes[i] = in.getLong();
      }
      return new Changed(inodes, in.hasRemaining() ? FileAttributes.decode(in) : null);
    } catch (BufferUnderflowException cut) {
      throw new IllegalArgumentException("a list of changes that was cut short", cut);
    }
  }

  /** Writes the reply at the buffer's position. */
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
   * Reads a reply.
   *
   * @throws IllegalArgumentException if it is invalid; the message says why
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
