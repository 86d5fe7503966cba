package dev.weft.pvfs.wire;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A request to the manager. Names and paths are bytes, as in POSIX.
 *
 * <pre>
 * operation              inode    other       numbers                                   name            value
 * HELLO, BYE, CLAIMED    -        -           -                                         -               -
 * LOOKUP                 parent   -           -                                         name            -
 * WALK                   from     -           1 to follow a last symbolic link          path            -
 * GETATTR, READLINK      file     -           -                                         -               -
 * SETATTR                file     -           mask, mode, uid, gid, bytes, atime, mtime -               -
 * CREATE                 parent   -           mode, 1 if it must be new, base, count, stripe size, open as OPEN or 0  name -
 * MKDIR                  parent   -           mode                                      name            -
 * MKNOD                  parent   -           mode, device                              name            -
 * SYMLINK                parent   -           -                                         name            target
 * LINK                   parent   file        -                                         name            -
 * UNLINK, RMDIR          parent   -           -                                         name            -
 * RENAME                 parent   new parent  1 no replace, 2 exchange, 4 whiteout      name            new name
 * READDIR                file     -           cookie, bytes of the answer               -               -
 * GETXATTR               file     -           where the part of the answer begins       name            -
 * LISTXATTR              file     -           where the part of the answer begins       -               -
 * REMOVEXATTR            file     -           -                                         name            -
 * SETXATTR               file     -           1 must be new, 2 must exist; {@link LongValue#mark} of a value that STAGE has brought, or 0  name  value
 * STAGE                  -        -           where the part begins                     -               part of a value
 * OPEN                   file     -           1 to read, 2 to write, 3 both, {@link #MAPS}  -            -
 * CLOSE                  file     -           bytes, -1 if it was not written, -2 if unknown;
 *                                             1 if it was open to write, or {@link #UNMAPS}; 1 if its times were set since;
 *                                             1 or {@link #CLOSES_LAST} if the length covers all that the client did;
 *                                             time of the last write, nanoseconds since 1970, 0 for now  -   -
 * RECLAIM                file     -           access as in OPEN, how often it is open, how often of these for writing  -  the last capability
 * RENEW                  file     -           -                                         -               -
 * STATFS                 -        -           -                                         -               -
 * SETSTRIPE              file     -           base, count, stripe size                  -               -
 * EVENTS                 -        -           stream, number of the last handled event  -               -
 * LOCK, LOCK_TEST        file     -           ticket, 0 does not wait; 1 if it is claimed again  -      {@link FileLock}
 * LOCK_CANCEL            -        -           ticket                                    -               -
 * </pre>
 *
 * @param id the client chooses it, and the reply repeats it; a request that is repeated on a new connection keeps it
 * @param slot of a change: a number that no other change of the client under way has; a repeated change keeps it. The manager stores the answer to
 *     the last change of each slot, also for its successor. A new change in the slot shows that the answer has arrived. {@link #NO_SLOT} for requests
 *     that change nothing or may be done twice
 */
public record MetaRequest(MetaOp op, long id, int slot, Caller caller, long inode, long other, List<Long> numbers, byte[] name, byte[] value) {
  /** Longest request. */
  public static final int BYTES_MAX = 16_384;
  /** Longest path, and longest target of a symbolic link. */
  public static final int PATH_BYTES_MAX = 4095;
  /** Longest value of one message; an extended attribute may come in several parts. */
  public static final int VALUE_BYTES_MAX = 8_192;
  private static final int NAME_BYTES_MAX = 4_096;
  private static final int NUMBERS_MAX = 8;
  /** Slots of a client, as many as requests may be under way. */
  public static final int SLOTS = 256;
  public static final int NO_SLOT = -1;
  private static final byte[] NOTHING = {};

  // Bits of SETATTR's mask.
  public static final long SET_MODE = 1;
  public static final long SET_UID = 2;
  public static final long SET_GID = 4;
  public static final long SET_BYTES = 8;
  public static final long SET_ATIME = 16;
  public static final long SET_MTIME = 32;
  /** In place of a length at CLOSE: the file was not written. */
  public static final long NOT_WRITTEN = -1;
  /** In place of a length at CLOSE: the daemons must be asked. */
  public static final long UNKNOWN_LENGTH = -2;
  /** At CLOSE: as far as the client knows, it does not have the file open for writing otherwise. */
  public static final long CLOSES_LAST = 2;
  /** At OPEN: the client maps the file for writing, so no other client may write it; EBUSY if one may already. */
  public static final long MAPS = 4;
  /** At CLOSE, in place of 1 for a file that was open to write: it was open with {@link #MAPS}. */
  public static final long UNMAPS = 2;
  /** With SET_ATIME: use the manager's time. */
  public static final long SET_ATIME_NOW = 64;
  /** With SET_MTIME: use the manager's time. */
  public static final long SET_MTIME_NOW = 128;
  /** With SET_BYTES: the file is open for writing. */
  public static final long SET_BY_HANDLE = 256;

  public static MetaRequest of(MetaOp op, Caller caller, long inode, long... numbers) {
    return new MetaRequest(op, 0, NO_SLOT, caller, inode, 0, list(numbers), NOTHING, NOTHING);
  }

  private static List<Long> list(long[] numbers) {
    List<Long> list = new ArrayList<>();
    for (long number : numbers) {
      list.add(number);
    }
    return List.copyOf(list);
  }

  public MetaRequest named(byte[] text) {
    return new MetaRequest(op, id, slot, caller, inode, other, numbers, text, value);
  }

  public MetaRequest named(String text) {
    return named(text.getBytes(StandardCharsets.UTF_8));
  }

  public MetaRequest withValue(byte[] bytes) {
    return new MetaRequest(op, id, slot, caller, inode, other, numbers, name, bytes);
  }

  public MetaRequest withOther(long otherInode) {
    return new MetaRequest(op, id, slot, caller, inode, otherInode, numbers, name, value);
  }

  MetaRequest withId(long number) {
    return new MetaRequest(op, number, slot, caller, inode, other, numbers, name, value);
  }

  /** Returns this request with an id. */
  public MetaRequest numbered(long number) {
    return withId(number);
  }

  /** Returns this request with a slot. */
  public MetaRequest inSlot(int number) {
    return new MetaRequest(op, id, number, caller, inode, other, numbers, name, value);
  }

  /** Returns a number, or {@code otherwise} if the request has fewer; {@link MetaArguments} names them. */
  long number(int index, long otherwise) {
    return index < numbers.size() ? numbers.get(index) : otherwise;
  }

  /** Whether it changes the length of a file, by {@link #SET_BYTES}. */
  public boolean cuts() {
    return op == MetaOp.SETATTR && (number(0, 0) & SET_BYTES) != 0;
  }

  /** Whether it fits into a message. */
  public boolean fits() {
    return name.length <= NAME_BYTES_MAX && value.length <= VALUE_BYTES_MAX && numbers.size() <= NUMBERS_MAX;
  }

  /** Writes the request at the buffer's position. */
  public void encode(ByteBuffer to) {
    to.order(ByteOrder.LITTLE_ENDIAN).put(DaemonRequest.VERSION).put((byte) op.ordinal()).putLong(id).putShort((short) slot);
    to.putInt(caller.uid()).putInt(caller.gid()).putLong(caller.capabilities()).putShort((short) caller.groups().size());
    caller.groups().forEach(to::putInt);
    to.putLong(inode).putLong(other).put((byte) numbers.size());
    numbers.forEach(to::putLong);
    to.putShort((short) name.length).put(name).putShort((short) value.length).put(value);
  }

  /**
   * Reads a request.
   *
   * @throws IllegalArgumentException if it is invalid; the message says why
   */
  public static MetaRequest decode(ByteBuffer from) {
    from.order(ByteOrder.LITTLE_ENDIAN);
    try {
      byte version = from.get();
      if (version != DaemonRequest.VERSION) {
        throw new IllegalArgumentException("version " + version + " of the protocol, this manager has " + DaemonRequest.VERSION);
      }
      int code = from.get();
      MetaOp op = MetaOp.of(code);
      if (op == null) {
        throw new IllegalArgumentException("operation " + code + ", which there is not");
      }
      long id = from.getLong();
      int slot = from.getShort();
      if (slot < NO_SLOT || slot >= SLOTS) {
        throw new IllegalArgumentException("slot " + slot + ", there are " + SLOTS);
      }
      Caller caller = decodeCaller(from);
      long inode = from.getLong();
      long other = from.getLong();
      List<Long> numbers = new ArrayList<>();
      for (int i = count(from.get() & 0xff, NUMBERS_MAX, "numbers"); i > 0; i--) {
        numbers.add(from.getLong());
      }
      MetaRequest request = new MetaRequest(op, id, slot, caller, inode, other, List.copyOf(numbers), bytes(from, NAME_BYTES_MAX),
          bytes(from, VALUE_BYTES_MAX));
      if (from.hasRemaining()) {
        throw new IllegalArgumentException(from.remaining() + " bytes after a request for " + op);
      }
      return request;
    } catch (BufferUnderflowException cut) {
      throw new IllegalArgumentException("a request that was cut short", cut);
    }
  }

  private static Caller decodeCaller(ByteBuffer from) {
    int uid = from.getInt();
    int gid = from.getInt();
    long capabilities = from.getLong();
    List<Integer> groups = new ArrayList<>();
    for (int i = count(from.getShort() & 0xffff, Caller.GROUPS_MAX, "groups"); i > 0; i--) {
      groups.add(from.getInt());
    }
    return new Caller(uid, gid, groups, capabilities);
  }

  private static int count(int count, int max, String what) {
    if (count > max) {
      throw new IllegalArgumentException(count + " " + what + ", may be " + max);
    }
    return count;
  }

  static byte[] bytes(ByteBuffer from, int max) {
    int length = from.getShort() & 0xffff;
    if (length > max) {
      throw new IllegalArgumentException("a name or value of " + length + " bytes, may have " + max);
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return bytes;
  }
}
