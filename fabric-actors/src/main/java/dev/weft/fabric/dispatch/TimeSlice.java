package dev.weft.fabric.dispatch;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Sets how long a thread may run before the scheduler considers others, by the Linux system call sched_setattr(2). From Linux 6.12 on, a thread with
 * a short slice that wakes up preempts a thread with a longer slice immediately. Otherwise it would wait until that thread has used its slice (0.7 to
 * 3 ms). The thread's share of the processor stays the same. Older kernels accept the value and ignore it. The call needs no privileges.
 */
final class TimeSlice {
  /** The first version of struct sched_attr; the kernel knows later ones by their size. */
  private static final int ATTRIBUTES_BYTES = 48;
  private static final int POLICY = 4;
  private static final int FLAGS = 8;
  private static final int RUNTIME = 24;
  /** Threads that this one starts do not inherit it. */
  private static final long RESET_ON_FORK = 1;
  private static final int NORMAL = 0;

  /** Number of sched_setattr; that of sched_getattr is one more. */
  private static final long SYSCALL_NUMBER = switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
    case "Linux amd64", "Linux x86_64" -> 314;
    case "Linux aarch64" -> 274;
    default -> -1;
  };
  private static final MethodHandle SYSCALL = SYSCALL_NUMBER < 0 ? null : CLibrary.findIfAllowed("syscall",
      FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
          ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
      Linker.Option.firstVariadicArg(1));

  private TimeSlice() {}

  /** Requests slices of {@code ns} for the calling thread. Returns false if that is not possible, or if the thread has another scheduling policy. */
  static boolean request(long ns) {
    if (SYSCALL == null) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
      if (!read(attributes)) {
        return false;
      }
      attributes.set(ValueLayout.JAVA_LONG, FLAGS, attributes.get(ValueLayout.JAVA_LONG, FLAGS) | RESET_ON_FORK);
      attributes.set(ValueLayout.JAVA_LONG, RUNTIME, ns);
      return call(SYSCALL_NUMBER, attributes, 0, 0) == 0;
    }
  }

  /** Returns the slice of the calling thread in nanoseconds; 0 if the kernel does not tell it. */
  static long current() {
    if (SYSCALL == null) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
      return read(attributes) ? attributes.get(ValueLayout.JAVA_LONG, RUNTIME) : 0;
    }
  }

  /** Reads the attributes of the calling thread. Returns false if that fails, or if the thread does not have the default policy. */
  private static boolean read(MemorySegment attributes) {
    return call(SYSCALL_NUMBER + 1, attributes, ATTRIBUTES_BYTES, 0) == 0 && attributes.get(ValueLayout.JAVA_INT, POLICY) == NORMAL;
  }

  private static long call(long number, MemorySegment attributes, long third, long fourth) {
    try {
      return (long) SYSCALL.invokeExact(number, 0L, attributes, third, fourth);
    } catch (Throwable e) {
      throw new IllegalStateException("sched_setattr(2) could not be called", e);
    }
  }
}
