package dev.weft.dsm.access;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * A memory barrier in all threads of this process at once, by the Linux system call membarrier(2). After it, the caller sees unfenced announcements
 * of other threads, and they see the caller's earlier changes. Takes some 0.6 us while no other thread runs, 11 us otherwise.
 */
public final class MemoryBarrier {
  private static final long REGISTER_PRIVATE_EXPEDITED = 16;
  private static final long PRIVATE_EXPEDITED = 8;
  private static final long SYSCALL_NUMBER = switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
    case "Linux amd64", "Linux x86_64" -> 324;
    case "Linux aarch64" -> 283;
    default -> -1;
  };
  private static final MethodHandle SYSCALL = SYSCALL_NUMBER < 0 ? null : CLibrary.findIfAllowed("syscall",
      FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG),
      Linker.Option.firstVariadicArg(1));
  private static final boolean SUPPORTED = SYSCALL != null && call(REGISTER_PRIVATE_EXPEDITED) == 0;

  private MemoryBarrier() {}

  /** Whether the machine supports it and this JVM may use it. If not, announcements must be fenced. */
  public static boolean isSupported() {
    return SUPPORTED;
  }

  /** Makes every thread of this process pass a full barrier. */
  static void allThreads() {
    VarHandle.fullFence();
    if (SUPPORTED && call(PRIVATE_EXPEDITED) != 0) {
      throw new IllegalStateException("membarrier(2) fails, which was possible when this JVM started");
    }
  }

  private static long call(long command) {
    try {
      return (long) SYSCALL.invokeExact(SYSCALL_NUMBER, command, 0L, 0L);
    } catch (Throwable e) {
      throw new IllegalStateException("membarrier(2) could not be called", e);
    }
  }
}
