package dev.weft.fabric.packet;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Handles mapped memory that has no pages: its file was truncated under the mapping, or the disk is full. The kernel answers an access with
 * SIGBUS, and the JVM turns that into an {@link InternalError}. But the JVM throws it only at the thread's next safepoint poll. In compiled
 * code, that may be long after the access, in another method. So code that accesses a consumer's memory does so in a try block, calls
 * {@link #raise} after the access in the same block, and catches the error. Any thread.
 */
public final class MissingPages {
  private static final long PAGE = 4096;
  private static final String FAULT = "unsafe memory access";
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  /** Volatile, so that the compiler cannot know how often the loop of {@link #raise} runs. */
  private static volatile int step = 1;

  private MissingPages() {}

  /**
   * Throws the pending error of an earlier access, if there is one. It runs a loop, because only the safepoint polls of loops throw the
   * error. A loop that the compiler can count, or that runs once, has no poll. The call takes about a nanosecond.
   */
  public static void raise() {
    int turns = 0;
    do {
      turns += step;
    } while (turns < 3);
  }

  /** Throws {@code error} again unless it is the error of a memory access. */
  public static void expect(InternalError error) {
    if (error.getMessage() == null || !error.getMessage().contains(FAULT)) {
      throw error;
    }
  }

  /** Whether no page of a range is missing. False also if the memory was freed. The answer may be out of date a moment later. */
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

  /** Reads a byte of each page. Call {@link #raise} afterwards. */
  public static void touch(MemorySegment memory, long offset, long length) {
    int sum = 0;
    for (long at = offset; at < offset + length; at = (memory.address() + at + PAGE & -PAGE) - memory.address()) {
      sum = 31 * sum + (byte) BYTE.getVolatile(memory, at);
    }
    if (sum == 1) {
      raise(); // Uses the sum: the compiler would remove reads whose values are not used, also volatile ones.
    }
  }

  /** Returns the exception to throw for a copy that failed with {@code error}. It says whether the pages of the source or of the target are missing. */
  static RuntimeException ofCopy(InternalError error, MemorySegment source, long offset, int length) {
    expect(error);
    return none(source, offset, length)
        ? target(length)
        : new PayloadLostException(length + " bytes have no pages any more: has the file that is mapped there been cut short?");
  }

  /** Returns the exception for {@code length} bytes whose target has no pages. */
  public static TargetLostException target(int length) {
    return new TargetLostException("there are no pages any more to place " + length
        + " bytes in: has the file that is mapped there been cut short?");
  }
}
