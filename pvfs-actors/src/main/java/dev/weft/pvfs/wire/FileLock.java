package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A lock of a range of a file, as clients ask the manager for it.
 *
 * @param kind {@link #POSIX}, {@link #FLOCK} or {@link #APPEND}: those of one kind do not see those of another
 * @param owner whose it is, a number of the client's choice; the locks of one owner do not exclude each other
 * @param type {@link #SHARED}, {@link #EXCLUSIVE} or {@link #NONE}
 * @param start the first byte
 * @param end the last byte, inclusive; {@link Long#MAX_VALUE} for the end of the file, wherever it is
 * @param pid process that asks, which others are told as the holder
 */
public record FileLock(int kind, long owner, int type, long start, long end, int pid) {
  /** Of ranges; whose waiting would never end is refused with EDEADLK. */
  public static final int POSIX = 0;
  /** Of the whole file. */
  public static final int FLOCK = 1;
  /** Of who appends to the file; one that is in the way is asked for by {@link MetaEvent.Kind#WANTED}. */
  public static final int APPEND = 2;

  public static final int SHARED = 0;
  public static final int EXCLUSIVE = 1;
  /** In a request: gives up what the owner has of the range. */
  public static final int NONE = 2;

  private static final int BYTES = 4 + 8 + 4 + 8 + 8 + 4;

  public FileLock {
    if (kind < POSIX || kind > APPEND || type < SHARED || type > NONE || start < 0 || end < start) {
      throw new IllegalArgumentException("a lock of kind " + kind + " and type " + type + " from " + start + " to " + end);
    }
  }

  /** The lock of a whole file. */
  public static FileLock whole(int kind, long owner, int type, int pid) {
    return new FileLock(kind, owner, type, 0, Long.MAX_VALUE, pid);
  }

  /** The same range and owner, of another type. */
  public FileLock of(int otherType) {
    return new FileLock(kind, owner, otherType, start, end, pid);
  }

  /** Another range of it. */
  public FileLock part(long from, long to) {
    return new FileLock(kind, owner, type, from, to, pid);
  }

  /** Whether both cannot be, if they are of different owners. */
  public boolean excludes(FileLock other) {
    return (type == EXCLUSIVE || other.type == EXCLUSIVE) && type != NONE && other.type != NONE && start <= other.end && other.start <= end;
  }

  /**
   * What an owner has of a file after it has locked or unlocked a range.
   *
   * @param own what it had before; with ranges of the same type that touch the new one it becomes one
   * @param lock of the same owner and kind
   */
  public static List<FileLock> replace(List<FileLock> own, FileLock lock) {
    List<FileLock> next = new ArrayList<>();
    for (FileLock other : own) {
      if (other.end < lock.start || other.start > lock.end) {
        next.add(other);
      } else {
        if (other.start < lock.start) {
          next.add(other.part(other.start, lock.start - 1));
        }
        if (other.end > lock.end) {
          next.add(other.part(lock.end + 1, other.end));
        }
      }
    }
    if (lock.type != NONE) {
      next.add(joined(next, lock));
    }
    return next;
  }

  /** With those of the same type that it touches, which leave the list: many small ones are as good as a large one. */
  private static FileLock joined(List<FileLock> others, FileLock lock) {
    FileLock whole = lock;
    for (FileLock other : List.copyOf(others)) {
      boolean isBefore = other.end < whole.start && other.end + 1 == whole.start;
      boolean isBehind = whole.end < other.start && whole.end + 1 == other.start;
      if (other.type == whole.type && (isBefore || isBehind)) {
        others.remove(other);
        whole = whole.part(Math.min(whole.start, other.start), Math.max(whole.end, other.end));
      }
    }
    return whole;
  }

  /** As the value of a message. */
  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(kind).putLong(owner).putInt(type).putLong(start).putLong(end).putInt(pid).array();
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static FileLock decode(byte[] value) {
    if (value.length != BYTES) {
      throw new IllegalArgumentException("a lock of " + value.length + " bytes, must have " + BYTES);
    }
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new FileLock(in.getInt(), in.getLong(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
  }
}
