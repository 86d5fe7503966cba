package dev.weft.dsm.access;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.weft.fabric.memory.Syscall;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Checks that a thread has enough stack before it waits in shared memory. A thread without enough gets its StackOverflowError here, where it does no
 * harm. In the middle of the protocol, or of the hardware that a waiting thread runs, the error would leave work unfinished and block others for
 * ever.
 */
public final class StackRoom {
  /** Stack bytes of the code that is about to run, which may still be interpreted. */
  private static final long OURS = 96 << 10;
  /** Required stack bytes, including the JVM's own zones; 192 KiB with default settings and pages of 4 KiB. */
  static final long BYTES = OURS + zones();
  /**
   * Number of nested calls of an empty method that use as much stack, where the remaining stack is unknown. This way is slow: 16 microseconds where a
   * processor mispredicts that many returns.
   */
  private static final int CALLS = 2048;
  private static final long ZONE_PAGE = 4096;
  private static final long UNKNOWN_ZONES = 1L << 40;

  private StackRoom() {}

  /** Bytes that the JVM reserves below each method, and its guard pages; {@link #UNKNOWN_ZONES} where the JVM does not report them. */
  private static long zones() {
    long bytes = 0;
    try {
      HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      for (String zone : List.of("Shadow", "Yellow", "Red", "Reserved")) {
        long pages = Long.parseLong(jvm.getVMOption("Stack" + zone + "Pages").getValue());
        bytes += (pages * ZONE_PAGE + Syscall.pageBytes() - 1) / Syscall.pageBytes() * Syscall.pageBytes();
      }
      return bytes;
    } catch (RuntimeException | LinkageError | StackOverflowError unknown) { // The nested calls then find out.
      return UNKNOWN_ZONES;
    }
  }

  /** Returns if there is enough stack; otherwise throws a StackOverflowError. */
  public static void require() {
    long left = left();
    if (left == ThreadStack.UNKNOWN || BYTES > UNKNOWN_ZONES) {
      requireByCalls();
    } else if (left < BYTES) {
      // Without +, because its first use may need more stack than there is.
      throw new StackOverflowError("this thread has ".concat(Long.toString(left)).concat(" bytes of its stack left, must have ").concat(Long.toString(BYTES))
          .concat(" to wait in shared memory; give it a larger stack (-Xss), or call from fewer methods"));
    }
  }

  private static long left() {
    try {
      return ThreadStack.leftBytes();
    } catch (LinkageError unknown) { // The first thread that came here had too little stack to initialise the class.
      return ThreadStack.UNKNOWN;
    }
  }

  static void requireByCalls() {
    if (descend(CALLS, 1, 2, 3) == 0) {
      throw new AssertionError("a sum of positive numbers is 0");
    }
  }

  private static long descend(int calls, long a, long b, long c) {
    return calls == 0 ? a : descend(calls - 1, b, c, a + 1) + c;
  }
}
