package dev.weft.hca;

import dev.weft.fabric.memory.CLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Brings pages in before they are used. Any thread; changes no byte. */
final class PageAdvice {
  private static final long PAGE = 4096;
  private static final int MADV_WILLNEED = 3;
  private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final MethodHandle MADVISE = CLibrary.find("madvise",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

  private PageAdvice() {}

  /** Touches each page; for writing atomically, because the memory may be in use already. */
  static void touch(MemorySegment range, boolean write) {
    boolean writes = write && range.byteSize() >= 2 * Integer.BYTES;
    for (long at = writes ? -range.address() & 3 : 0; at <= range.byteSize() - (writes ? Integer.BYTES : 1); at += PAGE) {
      touchPage(range, at, writes);
    }
    touchPage(range, writes ? ((range.address() + range.byteSize() - Integer.BYTES) & -Integer.BYTES) - range.address()
        : range.byteSize() - 1, writes);
  }

  private static void touchPage(MemorySegment range, long at, boolean write) {
    if (write) {
      INT.getAndAdd(range, at, 0);
    } else {
      // A volatile access, which is not optimised away.
      BYTE.getVolatile(range, at);
    }
  }

  /** Asks the operating system to bring the pages in; a refusal does not matter, they come when they are used. */
  static void willNeed(MemorySegment range) {
    if (MADVISE == null) {
      return;
    }
    long start = range.address() & -PAGE;
    try {
      int ignored = (int) MADVISE.invokeExact(start, range.address() + range.byteSize() - start, MADV_WILLNEED);
    } catch (Throwable e) {
      throw new IllegalStateException("madvise could not be called", e);
    }
  }
}
