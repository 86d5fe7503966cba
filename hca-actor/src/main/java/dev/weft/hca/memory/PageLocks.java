package dev.weft.hca.memory;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.fabric.packet.MissingPages;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Pins registered memory with {@code mlock(2)}. The kernel does not count the locks on a page, so this class counts them by range: it unlocks a page
 * when the last registration that covers it ends. Any thread.
 */
final class PageLocks {
  private static final long PAGE = 4096;
  /** The number of bytes locked by one call. During the call, some milliseconds, the kernel prevents the JVM from mapping memory and starting threads. */
  private static final long CALL_BYTES = 16L << 20;
  private static final FunctionDescriptor RANGE = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
  private static final MethodHandle MLOCK = CLibrary.find("mlock", RANGE);
  private static final MethodHandle MUNLOCK = CLibrary.find("munlock", RANGE);
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  /** Maps the start of each locked, page-aligned piece to {end, count}; pieces do not overlap. */
  private static final TreeMap<Long, long[]> PIECES = new TreeMap<>();

  private PageLocks() {}

  /** Locks the pages of a segment, which also touches them. If the limit forbids locking, only touches them and returns false. */
  static boolean lock(MemorySegment segment) {
    long start = segment.address() & -PAGE;
    long end = (segment.address() + segment.byteSize() + PAGE - 1) & -PAGE;
    // Count first, so that another thread's unlock of an overlapping range does not undo the lock.
    synchronized (PIECES) {
      add(start, end, 1);
    }
    boolean isLocked = true;
    for (long at = start; at < end && isLocked; at += CALL_BYTES) {
      isLocked = call(MLOCK, at, Math.min(CALL_BYTES, end - at)) == 0;
    }
    if (!isLocked) {
      unlock(segment);
      touch(segment);
      return false;
    }
    return true;
  }

  /** Unlocks the pages that no other registration covers. */
  static void unlock(MemorySegment segment) {
    long start = segment.address() & -PAGE;
    long end = (segment.address() + segment.byteSize() + PAGE - 1) & -PAGE;
    synchronized (PIECES) {
      add(start, end, -1);
      Iterator<Map.Entry<Long, long[]>> pieces = PIECES.subMap(start, end).entrySet().iterator();
      while (pieces.hasNext()) {
        Map.Entry<Long, long[]> piece = pieces.next();
        if (piece.getValue()[1] == 0) {
          call(MUNLOCK, piece.getKey(), piece.getValue()[0] - piece.getKey());
          pieces.remove();
        }
      }
    }
  }

  /** The number of locked pages. */
  static long lockedPages() {
    synchronized (PIECES) {
      long pages = 0;
      for (Map.Entry<Long, long[]> piece : PIECES.entrySet()) {
        pages += (piece.getValue()[0] - piece.getKey()) / PAGE;
      }
      return pages;
    }
  }

  private static void add(long start, long end, int delta) {
    split(start);
    split(end);
    long at = start;
    while (at < end) {
      long[] piece = PIECES.get(at);
      if (piece == null) {
        Long following = PIECES.higherKey(at);
        long to = following == null ? end : Math.min(end, following);
        piece = new long[] {to, 0};
        PIECES.put(at, piece);
      }
      piece[1] += delta;
      at = piece[0];
    }
  }

  private static void split(long address) {
    Map.Entry<Long, long[]> piece = PIECES.lowerEntry(address);
    if (piece != null && piece.getValue()[0] > address) {
      PIECES.put(address, new long[] {piece.getValue()[0], piece.getValue()[1]});
      piece.getValue()[0] = address;
    }
  }

  /** Writes to each page without changing it; atomically, because the memory may be in use. */
  private static void touch(MemorySegment segment) {
    if (segment.isReadOnly()) {
      return;
    }
    try {
      for (long at = -segment.address() & 3; at <= segment.byteSize() - 4; at += PAGE) {
        INT.getAndAdd(segment, at, 0);
      }
      MissingPages.raise();
    } catch (InternalError error) {
      throw PageAdvice.missing(error, segment);
    }
  }

  /** Calls the function and returns its result: 0 on success; -1 if the function does not exist. */
  private static int call(MethodHandle handle, long address, long length) {
    try {
      return handle == null ? -1 : (int) handle.invokeExact(address, length);
    } catch (Throwable e) {
      throw new IllegalStateException("mlock/munlock could not be called", e);
    }
  }
}
