package dev.weft.dsm.access;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The remaining stack of one platform thread. The C library tells the current position (getcontext(3), 0.2 microseconds), and once the end of the
 * stack (pthread_getattr_np(3)). Belongs to one thread.
 */
final class ThreadStack {
  static final long UNKNOWN = -1;

  /** A stack whose end is unknown. */
  private static final ThreadStack NONE = new ThreadStack(null, 0);
  /** More than the size of a ucontext_t and of a pthread_attr_t on both machines. */
  private static final long CONTEXT_BYTES = 6144;
  private static final long ATTRIBUTE_BYTES = 256;
  private static final ThreadLocal<ThreadStack> MINE = ThreadLocal.withInitial(ThreadStack::look);

  private static final MethodHandle GET_CONTEXT =
      CLibrary.findIfAllowed("getcontext", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS), Linker.Option.critical(false));
  private static final MethodHandle SELF = CLibrary.findIfAllowed("pthread_self", FunctionDescriptor.of(ValueLayout.JAVA_LONG));
  private static final MethodHandle GET_ATTRIBUTES = CLibrary.findIfAllowed("pthread_getattr_np",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
  private static final MethodHandle GET_STACK = CLibrary.findIfAllowed("pthread_attr_getstack",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
  private static final MethodHandle DESTROY =
      CLibrary.findIfAllowed("pthread_attr_destroy", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
  /** Offset of the stack pointer in a ucontext_t; negative on unsupported machines. */
  private static final long POINTER_OFFSET = switch (System.getProperty("os.arch")) {
    case "amd64" -> 160;
    case "aarch64" -> 432;
    default -> -1;
  };

  private final MemorySegment context;
  private final long lowest;

  private ThreadStack(MemorySegment context, long lowest) {
    this.context = context;
    this.lowest = lowest;
  }

  /** Bytes from the current position of the calling thread to the end of its stack, including the JVM's guard pages; {@link #UNKNOWN} if unknown. */
  static long leftBytes() {
    if (Thread.currentThread().isVirtual()) { // It may continue on another thread.
      return UNKNOWN;
    }
    ThreadStack mine = MINE.get();
    return mine == NONE ? UNKNOWN : mine.pointer() - mine.lowest;
  }

  private static ThreadStack look() {
    boolean isAble = GET_CONTEXT != null && SELF != null && GET_ATTRIBUTES != null && GET_STACK != null && DESTROY != null && POINTER_OFFSET >= 0;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(ATTRIBUTE_BYTES, 16);
      if (!isAble || (int) GET_ATTRIBUTES.invokeExact((long) SELF.invokeExact(), attributes) != 0) {
        return NONE;
      }
      MemorySegment lowest = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment bytes = arena.allocate(ValueLayout.JAVA_LONG);
      boolean isKnown = (int) GET_STACK.invokeExact(attributes, lowest, bytes) == 0;
      isKnown &= (int) DESTROY.invokeExact(attributes) == 0;
      ThreadStack stack = new ThreadStack(Arena.ofAuto().allocate(CONTEXT_BYTES, 64), lowest.get(ValueLayout.JAVA_LONG, 0));
      long left = isKnown ? stack.pointer() - stack.lowest : UNKNOWN;
      return left > 0 && left <= bytes.get(ValueLayout.JAVA_LONG, 0) ? stack : NONE; // Another C library may use another offset.
    } catch (OutOfMemoryError none) {
      return NONE; // The nested calls need no memory.
    } catch (Throwable failed) {
      throw failure(failed);
    }
  }

  private long pointer() {
    try {
      int refused = (int) GET_CONTEXT.invokeExact(context);
      if (refused != 0) {
        throw new IllegalStateException("getcontext(3) answers " + refused);
      }
      return context.get(ValueLayout.JAVA_LONG, POINTER_OFFSET);
    } catch (Throwable failed) {
      throw failure(failed);
    }
  }

  private static RuntimeException failure(Throwable failed) {
    if (failed instanceof Error error) {
      throw error;
    }
    return new IllegalStateException("the C library cannot be asked about the stack of this thread", failed);
  }
}
