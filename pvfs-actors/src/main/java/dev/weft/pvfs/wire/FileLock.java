package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A lock of a range of a file, as clients request it from the manager.
 *
 * @param kind {@link #POSIX}, {@link #FLOCK} or {@link #APPEND}; locks of different kinds do not affect each other
 * @param owner a number that the client chooses; locks of one owner do not exclude each other
 * @param type {@link #SHARED}, {@link #EXCLUSIVE} or {@link #NONE}
 * @param start the first byte
 * @param end the last byte, inclusive; {@link Long#MAX_VALUE} for the end of the file, wherever it is
 * @param pid process that asks; others see it as the holder
 */
public record FileLock(int kind, long owner, int type, long start, long end, int pid) {
  /** A lock of a range. A wait that would deadlock fails with EDEADLK. */
  public static final int POSIX = 0;
  /** A lock of a whole file. */
  public static final int FLOCK = 1;
  /** The lock of a client that appends to the file. The manager asks the holder to give it up by {@link MetaEvent.Kind#WANTED}. */
  public static final int APPEND = 2;

  public static final int SHARED = 0;
  public static final int EXCLUSIVE = 1;
  /** In a request: unlocks the owner's locks in the range. */
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

  /** Returns this lock with another type. */
  public FileLock of(int otherType) {
    return new FileLock(kind, owner, otherType, start, end, pid);
  }

  /** Returns this lock with another range. */
  public FileLock part(long from, long to) {
    return new FileLock(kind, owner, type, from, to, pid);
  }

  /** Whether the locks conflict, if their owners differ. */
  public boolean excludes(FileLock other) {
    return (type == EXCLUSIVE || other.type == EXCLUSIVE) && type != NONE && other.type != NONE && start <= other.end && other.start <= end;
  }

  /**
   * Returns an owner's locks of a file after it has locked or unlocked a range.
   *
   * @param own the owner's locks before; those of the same type that touch the new range are joined with it
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

  /** Joins the lock with those of its type that it touches, and removes them from the list, so that many small locks become one. */
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

  /** Returns the lock as the value of a message. */
  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(kind).putLong(owner).putInt(type).putLong(start).putLong(end).putInt(pid).array();
  }

  /**
   * Reads what {@link #encode} has written.
   *
   * @throws IllegalArgumentException if it is invalid
   */
  public static FileLock decode(byte[] value) {
    if (value.length != BYTES) {
      throw new IllegalArgumentException("a lock of " + value.length + " bytes, must have " + BYTES);
    }
    ByteBuffer in = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    return new FileLock(in.getInt(), in.getLong(), in.getInt(), in.getLong(), in.getLong(), in.getInt());
  }
}
