package dev.weft.fabric.dispatch;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The Linux system call futex(2) on a word that several processes map: one thread waits while the word has a value, others wake it. */
final class Futex {
  private static final int WAIT = 0;
  private static final int WAKE = 1;
  private static final long NS_PER_S = 1_000_000_000L;
  private static final long SYSCALL_NUMBER = switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
    case "Linux amd64", "Linux x86_64" -> 202;
    case "Linux aarch64" -> 98;
    default -> -1;
  };
  private static final MethodHandle SYSCALL = SYSCALL_NUMBER < 0 ? null : CLibrary.findIfAllowed("syscall",
      FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
      Linker.Option.firstVariadicArg(1));

  private final MemorySegment word;
  private final MemorySegment timeout = Arena.ofAuto().allocate(2L * Long.BYTES, Long.BYTES);

  /** {@code word} is an aligned int in shared memory. */
  Futex(MemorySegment word) {
    this.word = word;
  }

  /** Whether this machine has the system call and this JVM may make it. */
  static boolean isSupported() {
    return SYSCALL != null;
  }

  /** Sleeps while the word is {@code value}, at most {@code maxNs}; may return early. One thread at a time. */
  void await(int value, long maxNs) {
    timeout.setAtIndex(ValueLayout.JAVA_LONG, 0, maxNs / NS_PER_S);
    timeout.setAtIndex(ValueLayout.JAVA_LONG, 1, maxNs % NS_PER_S);
    call(WAIT, value, timeout);
  }

  /** Wakes the thread that waits, if there is one. Any thread. */
  void wake() {
    call(WAKE, 1, MemorySegment.NULL);
  }

  private void call(long operation, long value, MemorySegment time) {
    try {
      long ignored = (long) SYSCALL.invokeExact(SYSCALL_NUMBER, word, operation, value, time);
    } catch (Throwable e) {
      throw new IllegalStateException("futex(2) could not be called", e);
    }
  }
}
