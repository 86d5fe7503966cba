package dev.weft.dsm.access;

/**
 * Whether a thread has the stack for what it is about to do. One that has not gets its StackOverflowError here, where it harms nobody: in the middle
 * of the protocol, or of the hardware that a waiting thread runs, others would wait for ever for what it left undone.
 */
public final class StackRoom {
  /**
   * What has to be left: 96 KiB that the JVM keeps for itself (20 pages that each method finds below it, and 4 that nobody may use), and as much for what
   * is about to run, which may still be interpreted.
   */
  static final long BYTES = 192 << 10;
  /**
   * Of a method that does nothing: as much, where nobody can tell how much is left. It is the slow way, 16 microseconds where a processor that has lost
   * track of so many returns guesses each of them wrong.
   */
  private static final int CALLS = 2048;

  private StackRoom() {}

  /** Does nothing, or throws a StackOverflowError. */
  public static void require() {
    long left = ThreadStack.leftBytes();
    if (left == ThreadStack.UNKNOWN) {
      requireByCalls();
    } else if (left < BYTES) {
      throw new StackOverflowError("this thread has " + left + " bytes of its stack left, must have " + BYTES
          + " to wait in shared memory; give it a larger stack (-Xss), or call from fewer methods");
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
