package dev.weft.fabric.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Makes Linux system calls by number. The result is that of the kernel: a negative error number if the call fails. Any thread. */
public final class Syscall {
  private static final String MACHINE = System.getProperty("os.name") + " " + System.getProperty("os.arch");
  private static final boolean IS_AMD64 = MACHINE.equals("Linux amd64") || MACHINE.equals("Linux x86_64");
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO_AT = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle SYSCALL = !IS_AMD64 && !MACHINE.equals("Linux aarch64") ? null
      : CLibrary.findIfAllowed("syscall",
          FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
          Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));
  private static final MethodHandle PAGE_SIZE = CLibrary.findIfAllowed("getpagesize", FunctionDescriptor.of(ValueLayout.JAVA_INT));
  private static final ThreadLocal<MemorySegment> ERRNO = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(STATE));

  private Syscall() {}

  /**
   * Returns the reason why this JVM cannot make system calls; null if it can.
   *
   * @param what the feature that needs them, as the subject of a sentence
   */
  public static String problem(String what) {
    if (SYSCALL != null) {
      return null;
    }
    return CLibrary.class.getModule().isNativeAccessEnabled() ? what + " needs Linux on amd64 or aarch64, this is " + MACHINE
        : "this JVM may not make system calls; start it with --enable-native-access=ALL-UNNAMED";
  }

  /** Returns the number of a call on this machine. */
  public static long number(int amd64, int aarch64) {
    return IS_AMD64 ? amd64 : aarch64;
  }

  /**
   * Makes a call. Requires that {@link #problem} returns null.
   *
   * @param number as {@link #number} gives it
   */
  public static long call(long number, long a, long b, long c, long d, long e, long f) {
    MemorySegment state = ERRNO.get();
    try {
      long result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e, f);
      return result == -1 ? -state.get(ValueLayout.JAVA_INT, ERRNO_AT) : result;
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("system call " + number + " could not be made", cannotBe);
    }
  }

  /** Returns the page size of this machine in bytes. */
  public static int pageBytes() {
    try {
      return (int) PAGE_SIZE.invokeExact();
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("getpagesize(3) could not be called", cannotBe);
    }
  }

  /**
   * Returns the name and meaning of an error, for messages.
   *
   * @param result a negative result of {@link #call}
   */
  public static String errorName(long result) {
    return switch ((int) -result) {
      case 1 -> "EPERM, not permitted";
      case 2 -> "ENOENT, it does not exist";
      case 3 -> "ESRCH, no such process";
      case 5 -> "EIO, input or output failed";
      case 11 -> "EAGAIN, not now";
      case 12 -> "ENOMEM, no memory left";
      case 13 -> "EACCES, no permission";
      case 14 -> "EFAULT, no memory there";
      case 16 -> "EBUSY, it is in use";
      case 17 -> "EEXIST, it is there already";
      case 19 -> "ENODEV, this kernel does not have it";
      case 20 -> "ENOTDIR, it is no directory";
      case 22 -> "EINVAL, refused by this kernel";
      case 24 -> "EMFILE, too many files are open";
      case 38 -> "ENOSYS, this kernel does not have it";
      case 98 -> "EADDRINUSE, it is in use";
      case 107 -> "ENOTCONN, the process that served it has ended";
      case 111 -> "ECONNREFUSED, nobody listens";
      default -> "error number " + -result;
    };
  }
}
