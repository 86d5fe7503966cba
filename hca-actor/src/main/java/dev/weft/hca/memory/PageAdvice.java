package dev.weft.hca.memory;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.hca.verbs.VerbsException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** Brings in pages before they are used, without changing their contents. Any thread. */
public final class PageAdvice {
  private static final long PAGE = 4096;
  private static final int MADV_WILLNEED = 3;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final MethodHandle MADVISE = CLibrary.find("madvise",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

  private PageAdvice() {}

  /** Touches each page. For writing, it does so atomically, because the memory may be in use. */
  static void touch(MemorySegment range, boolean write) {
    try {
      touchPages(range, write);
      MissingPages.raise();
    } catch (InternalError error) {
      throw missing(error, range);
    }
  }

  /** Returns the exception for memory without pages if {@code error} comes from such memory; otherwise throws {@code error}. */
  public static VerbsException missing(InternalError error, MemorySegment range) {
    MissingPages.expect(error);
    return new VerbsException(VerbsException.Errno.EFAULT, "some of the " + range.byteSize() + " bytes from 0x"
        + Long.toHexString(range.address()) + " have no pages: the file that is mapped there was truncated, or its disk is full");
  }

  private static void touchPages(MemorySegment range, boolean write) {
    if (!write || range.byteSize() < 2 * Integer.BYTES) {
      MissingPages.touch(range, 0, range.byteSize());
      return;
    }
    for (long at = -range.address() & 3; at <= range.byteSize() - Integer.BYTES; at += PAGE) {
      INT.getAndAdd(range, at, 0);
    }
    INT.getAndAdd(range, (range.address() + range.byteSize() - Integer.BYTES & -Integer.BYTES) - range.address(), 0);
  }

  /** Asks the operating system to bring in the pages. Ignores failures, because the pages then come in when they are used. */
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
