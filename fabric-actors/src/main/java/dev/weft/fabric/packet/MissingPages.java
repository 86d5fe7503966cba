package dev.weft.fabric.packet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Memory that is mapped and has no pages behind it: a file that was cut short under its mapping, or that finds no room on its disk. The
 * kernel answers an access with SIGBUS, of which the JVM makes an {@link InternalError}, but no sooner than the thread comes to the next
 * safepoint poll: in compiled code that may be long after the access, in another method. So whoever touches memory that a consumer gave does
 * it in a try block, calls {@link #raise} behind it there, and catches the error. Any thread.
 */
public final class MissingPages {
  private static final long PAGE = 4096;
  private static final String FAULT = "unsafe memory access";
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  /** Volatile, so that the compiler does not know how often the loop of {@link #raise} turns. */
  private static volatile int step = 1;

  private MissingPages() {}

  /**
   * Throws the error of an access before, if there was one: passes safepoint polls, of which only those in loops raise it. A loop that the
   * compiler could count, or that turns once, has none. Takes a nanosecond.
   */
  public static void raise() {
    int turns = 0;
    do {
      turns += step;
    } while (turns < 3);
  }

  /** Throws an error that has nothing to do with memory. */
  public static void expect(InternalError error) {
    if (error.getMessage() == null || !error.getMessage().contains(FAULT)) {
      throw error;
    }
  }

  /** Whether all pages of a range can be read; false too if it was freed. It may be different a moment later. */
  public static boolean none(MemorySegment memory, long offset, long length) {
    if (length <= 0 || !memory.isNative()) {
      return true;
    }
    try {
      touch(memory, offset, length);
      raise();
    } catch (InternalError error) {
      expect(error);
      return false;
    } catch (IllegalStateException freed) {
      return false;
    }
    return true;
  }

  /** Reads a byte of each page; to be followed by {@link #raise}. */
  public static void touch(MemorySegment memory, long offset, long length) {
    int sum = 0;
    for (long at = offset; at < offset + length; at = (memory.address() + at + PAGE & -PAGE) - memory.address()) {
      sum = 31 * sum + (byte) BYTE.getVolatile(memory, at);
    }
    if (sum == 1) {
      raise(); // The compiler leaves out what is read and not used, also if it is volatile.
    }
  }

  /** A copy has failed with {@code error}: what is to be thrown, which says whether the bytes or their target have gone. */
  static RuntimeException ofCopy(InternalError error, MemorySegment source, long offset, int length) {
    expect(error);
    return none(source, offset, length)
        ? target(length)
        : new PayloadLostException(length + " bytes have no pages any more: has the file that is mapped there been cut short?");
  }

  /** For {@code length} bytes that have no place. */
  public static TargetLostException target(int length) {
    return new TargetLostException("there are no pages any more to place " + length
        + " bytes in: has the file that is mapped there been cut short?");
  }
}
