package dev.weft.pvfs.fuse;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.pvfs.fuse.LinuxCalls.Call;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Makes a thread return with EINTR from a blocking system call. Closing a descriptor does not do that, and unmounting does not end a mount that is in
 * use. A real-time signal does it, if it has a handler that does nothing: {@code abs(3)} of the C library.
 */
final class WakeSignal {
  /** Three below the last one: HotSpot and its NIO use others. */
  private static final int SIGNAL = 61;
  /** {@code struct sigaction} of the C library: the handler, 128 bytes of signals to block, flags, and a pointer that the library sets. */
  private static final int ACTION_BYTES = 152;
  private static boolean isInstalled;

  private WakeSignal() {}

  /** Installs the handler, once in a process. */
  @SuppressWarnings("restricted") // looks up a function of the C library
  static synchronized void install() {
    if (isInstalled) {
      return;
    }
    MethodHandle sigaction = CLibrary.find("sigaction",
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(ACTION_BYTES, 8);
      action.set(ValueLayout.ADDRESS, 0, Linker.nativeLinker().defaultLookup().findOrThrow("abs"));
      int result = (int) sigaction.invokeExact(SIGNAL, action, MemorySegment.NULL);
      if (result != 0) {
        throw new IllegalStateException("sigaction(2) refuses signal " + SIGNAL);
      }
      isInstalled = true;
    } catch (RuntimeException | Error refused) {
      throw refused;
    } catch (Throwable cannotBe) {
      throw new IllegalStateException("sigaction(2) could not be called", cannotBe);
    }
  }

  /** Returns the number of the calling thread, for {@link #wake}. */
  static int thread() {
    return (int) LinuxCalls.call(Call.GETTID);
  }

  /** Wakes a thread. The signal may come just before the thread waits: repeat it until the thread has noticed. */
  static void wake(int thread) {
    LinuxCalls.call(Call.TGKILL, LinuxCalls.call(Call.GETPID), thread, SIGNAL);
  }
}
