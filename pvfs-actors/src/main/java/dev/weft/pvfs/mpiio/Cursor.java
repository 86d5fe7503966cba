package dev.weft.pvfs.mpiio;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** Walks over an access in the order of the file, one window of the file at a time. */
final class Cursor {
  private final Access access;
  /** Bytes of the data before each piece of memory. */
  private final long[] before;
  private int piece;
  private long done;
  /** Bytes of the data before the next one. */
  private long position;

  Cursor(Access access) {
    this.access = access;
    this.before = new long[access.memory.count()];
    for (int i = 1; i < before.length; i++) {
      before[i] = before[i - 1] + access.memory.length(i - 1);
    }
  }

  /** Returns the part of the access in a window. Windows must ascend. */
  Window next(long begin, long end) {
    Window window = new Window(position);
    while (piece < access.file.count()) {
      long from = access.file.offset(piece) + done;
      if (from >= end) {
        break;
      }
      if (from < begin) {
        throw new IllegalStateException("byte " + from + " of an access was left out before the window from " + begin);
      }
      long bytes = Math.min(access.file.length(piece) - done, end - from);
      window.add(from, bytes);
      done += bytes;
      position += bytes;
      if (done == access.file.length(piece)) {
        piece++;
        done = 0;
      }
    }
    return window;
  }

  /** Copies a part of the data between memory and a message. */
  void copy(long from, long bytes, MemorySegment message, long at, boolean toMessage) {
    int found = Arrays.binarySearch(before, from);
    int i = found >= 0 ? found : -found - 2;
    long left = bytes;
    long to = at;
    long skip = bytes == 0 ? 0 : from - before[i];
    while (left > 0) {
      long length = Math.min(left, access.memory.length(i) - skip);
      long inMemory = access.memory.offset(i) + skip;
      if (toMessage) {
        MemorySegment.copy(access.base, inMemory, message, to, length);
      } else {
        MemorySegment.copy(message, to, access.base, inMemory, length);
      }
      to += length;
      left -= length;
      skip = 0;
      i++;
    }
  }

  /** The pieces of an access in a window of the file. */
  static final class Window {
    /** Bytes of the data before the first piece. */
    final long position;
    private long[] numbers = new long[8];
    private int count;
    long bytes;

    private Window(long position) {
      this.position = position;
    }

    private void add(long offset, long length) {
      if (2 * count == numbers.length) {
        numbers = Arrays.copyOf(numbers, 4 * count);
      }
      numbers[2 * count] = offset;
      numbers[2 * count + 1] = length;
      count++;
      bytes += length;
    }

    /** Returns the length of the message's head that lists the pieces. */
    int headBytes() {
      return 16 * count;
    }

    void encode(MemorySegment to, long at) {
      MemorySegment.copy(numbers, 0, to, ValueLayout.JAVA_LONG_UNALIGNED, at, 2 * count);
    }
  }
}
