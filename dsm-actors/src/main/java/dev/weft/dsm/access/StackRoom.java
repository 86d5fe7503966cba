package dev.weft.dsm.access;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.weft.fabric.memory.Syscall;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Whether a thread has the stack for what it is about to do. One that has not gets its StackOverflowError here, where it harms nobody: in the middle
 * of the protocol, or of the hardware that a waiting thread runs, others would wait for ever for what it left undone.
 */
public final class StackRoom {
  /** For what is about to run, which may still be interpreted. */
  private static final long OURS = 96 << 10;
  /** What has to be left, with what the JVM keeps for itself; 192 KiB where nobody has told it otherwise and pages have 4 KiB. */
  static final long BYTES = OURS + zones();
  /**
   * Of a method that does nothing: as much, where nobody can tell how much is left. It is the slow way, 16 microseconds where a processor that has lost
   * track of so many returns guesses each of them wrong.
   */
  private static final int CALLS = 2048;
  private static final long ZONE_PAGE = 4096;
  private static final long UNKNOWN_ZONES = 1L << 40;

  private StackRoom() {}

  /** Room that each method finds below it, and pages that nobody may use; without bound where this JVM does not say. */
  private static long zones() {
    long bytes = 0;
    try {
      HotSpotDiagnosticMXBean jvm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
      for (String zone : List.of("Shadow", "Yellow", "Red", "Reserved")) {
        long pages = Long.parseLong(jvm.getVMOption("Stack" + zone + "Pages").getValue());
        bytes += (pages * ZONE_PAGE + Syscall.pageBytes() - 1) / Syscall.pageBytes() * Syscall.pageBytes();
      }
      return bytes;
    } catch (RuntimeException | LinkageError | StackOverflowError unknown) { // The slow way knows.
      return UNKNOWN_ZONES;
    }
  }

  /** Does nothing, or throws a StackOverflowError. */
  public static void require() {
    long left = left();
    if (left == ThreadStack.UNKNOWN || BYTES > UNKNOWN_ZONES) {
      requireByCalls();
    } else if (left < BYTES) {
      // Without +, whose first use runs far more than there may be room for.
      throw new StackOverflowError("this thread has ".concat(Long.toString(left)).concat(" bytes of its stack left, must have ").concat(Long.toString(BYTES))
          .concat(" to wait in shared memory; give it a larger stack (-Xss), or call from fewer methods"));
    }
  }

  private static long left() {
    try {
      return ThreadStack.leftBytes();
    } catch (LinkageError unknown) { // The thread that came first had not the stack to make it.
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
