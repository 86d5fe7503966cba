package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;

/**
 * The manager's answer.
 *
 * @param errno 0, or why not
 * @param attributes of the file in question; null where there are none
 * @param number what the operation has to say beside that; with attributes, some of {@link #LENGTH_OPEN} and those behind it
 * @param value bytes that the operation has to say: a target, a value, names, a page of a directory ({@link DirectoryPage}); of one that changes something,
 *     the inodes that it changed, if the client listens to events
 * @param grant for OPEN, CREATE, RECLAIM and RENEW of a regular file: the capability for all that the client has it open for; otherwise null
 */
public record MetaReply(long id, int errno, FileAttributes attributes, long number, byte[] value, Grant grant) {
  /** Longest reply. */
  public static final int BYTES_MAX = 16_384;
  /** Longest value. */
  public static final int VALUE_BYTES_MAX = BYTES_MAX - 128;
  /** Only the daemons of the regular file know its length. */
  public static final long LENGTH_OPEN = 1;
  /** The client may remember the attributes until it is told by {@link MetaEvent.Kind#CHANGED}. */
  public static final long LEASED = 2;
  /** It may remember what the name leads to, or that there is no such name, until it is told that the directory has changed. */
  public static final long PARENT_LEASED = 4;
  /** Nobody but this session has the file open to be written, and its length is that of the attributes, at OPEN and CREATE. */
  public static final long SOLE = 8;
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

  /**
   * What an operation has changed.
   *
   * @param inodes all of them
   * @param directory the one that the operation named, as it is now; null where there is none
   */
  public record Changed(long[] inodes, FileAttributes directory) {
    private static final Changed NOTHING_CHANGED = new Changed(new long[0], null);
  }

  /** What the client of an operation is told that it has changed, as a value. */
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
   * What {@link #encodeChanged} has made the value of; nothing, if there is no value.
   *
   * @throws IllegalArgumentException if it is none
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
