package dev.weft.dsm.access;

/**
 * Whether a thread has the stack for what it is about to do. One that has not gets its StackOverflowError here, where it harms nobody: in the middle
 * of the protocol, or of the hardware that a waiting thread runs, others would wait for ever for what it left undone.
 */
public final class StackRoom {
  /**
   * Some 128 KiB where this is interpreted, in about two microseconds; compiled, a call takes less than half of that, while what runs on the stack
   * afterwards may still be interpreted.
   */
  private static final int CALLS = 2048;

  private StackRoom() {}

  /** Does nothing, or throws a StackOverflowError. */
  public static void require() {
    if (descend(CALLS, 1, 2, 3) == 0) {
      throw new AssertionError("a sum of positive numbers is 0");
    }
  }

  private static long descend(int calls, long a, long b, long c) {
    return calls == 0 ? a : descend(calls - 1, b, c, a + 1) + c;
  }
}
