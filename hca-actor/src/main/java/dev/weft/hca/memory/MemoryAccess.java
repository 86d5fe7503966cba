package dev.weft.hca.memory;

import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.hca.verbs.AccessObserver;
import dev.weft.hca.verbs.SgList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The HCA's access to registered memory: finds the regions of scatter/gather lists, places payload, executes atomics, and reports these accesses to an
 * observer. The caller must check whether a peer has the right to access. Hardware thread.
 */
public final class MemoryAccess {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Counts this HCA's copies of payload: into memory, out of memory for UC and UD, and of inline data. */
  private final CopyCounter copies = new CopyCounter();
  private final CopyCounter headerCopies = new CopyCounter();
  private final MrTable memory;
  private final UnpinnedMemory unpinned;
  private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
  private long bytesPlaced;
  /** The observer of accesses, or null; without one, an access costs one more branch. */
  private AccessObserver observer;

  public MemoryAccess(MrTable memory, UnpinnedMemory unpinned) {
    this.memory = memory;
    this.unpinned = unpinned;
  }

  /** Sets the observer of other hosts' accesses to registered memory; null for none. */
  public void setObserver(AccessObserver newObserver) {
    observer = newObserver;
  }

  public CopyCounter copies() {
    return copies;
  }

  public long bytesPlaced() {
    return bytesPlaced;
  }

  /** Returns the regions of a scatter/gather list, in {@code reuse} if it is long enough; null if a region may not be used. */
  public Mr[] resolve(SgList list, Mr[] reuse, Pd pd, int access) {
    Mr[] regions = reuse.length >= list.count() ? reuse : new Mr[list.count()];
    for (int i = 0; i < list.count(); i++) {
      if (list.length(i) == 0) {
        continue;
      }
      Mr mr = memory.find(list.lkey(i), pd);
      if (mr == null || mr.window() != null || (mr.access() & access) != access || !mr.contains(list.address(i), list.length(i))) {
        return null;
      }
      regions[i] = mr;
    }
    return regions;
  }

  /** Copies a payload into a scatter list; returns false if the memory is no longer accessible. */
  public boolean place(Payload payload, SgList list, Mr[] regions, long offset) {
    return place(payload, list, regions, offset, copies);
  }

  /** Copies a header into a scatter list; like {@link #place(Payload, SgList, Mr[], long)}, but it does not count as a copy of payload. */
  public boolean placeHeader(Payload header, SgList list, Mr[] regions) {
    return place(header, list, regions, 0, headerCopies);
  }

  private boolean place(Payload payload, SgList list, Mr[] regions, long offset, CopyCounter counter) {
    for (int i = 0; i < list.count(); i++) {
      if (list.length(i) > 0 && !regions[i].isUsable()) {
        return false;
      }
    }
    try {
      if (!unpinned.hasAny(list, regions)) {
        GatherList.scatter(payload, list, regions, offset, counter);
      } else if (!unpinned.scatter(payload, list, regions, offset, counter)) {
        return false;
      }
    } catch (IllegalStateException closed) {
      return false;
    }
    bytesPlaced += payload.length();
    return true;
  }

  /**
   * Copies a payload to an address of a region; returns false if the memory is no longer accessible. {@code more} says whether further payload of the
   * same message follows.
   *
   * @throws PayloadLostException if the packet must be treated as lost
   */
  public boolean place(Payload payload, Mr mr, long address, boolean more) {
    beforeAccess();
    boolean placed;
    try {
      placed = copy(payload, mr, address);
    } catch (PayloadLostException lost) {
      afterWrite(false, mr, address, payload.length(), more);
      throw lost;
    }
    afterWrite(placed, mr, address, payload.length(), more);
    return placed;
  }

  private void afterWrite(boolean placed, Mr mr, long address, int length, boolean more) {
    if (observer == null) {
      return;
    }
    long at = nativeAddress(mr, address);
    if (!placed) {
      observer.gaveUp();
    } else if (!mr.isUnpinned() || unpinned.isSettled()) {
      observer.written(at, length, more);
    } else {
      observer.gaveUp(); // The write is reported as a separate access when the data has arrived in memory.
      unpinned.afterCopies(kept -> {
        if (kept && observer != null) {
          observer.before();
          observer.written(at, length, more);
        }
      });
    }
  }

  private boolean copy(Payload payload, Mr mr, long address) {
    if (!mr.isUsable()) {
      return false;
    }
    try {
      if (!mr.isUnpinned()) {
        payload.copyTo(mr.segment(), address - mr.addr(), copies);
      } else if (!unpinned.place(payload, mr, address)) {
        return false;
      }
    } catch (IllegalStateException closed) {
      return false;
    }
    bytesPlaced += payload.length();
    return true;
  }

  /**
   * Writes a payload of 8 bytes to an aligned word atomically; returns false if the memory is no longer accessible.
   *
   * @throws PayloadLostException if the packet must be treated as lost
   */
  public boolean placeWord(Payload payload, Mr mr, long address) {
    beforeAccess();
    boolean placed;
    try {
      placed = copyWord(payload, mr, address);
    } catch (PayloadLostException lost) {
      afterWrite(false, mr, address, Long.BYTES, false);
      throw lost;
    }
    afterWrite(placed, mr, address, Long.BYTES, false);
    return placed;
  }

  private boolean copyWord(Payload payload, Mr mr, long address) {
    try {
      payload.copyTo(word, 0, copies);
      LONG.setVolatile(mr.segment(), address - mr.addr(), word.get(ValueLayout.JAVA_LONG, 0));
      MissingPages.raise();
    } catch (IllegalStateException closed) {
      return false;
    } catch (InternalError error) {
      MissingPages.expect(error);
      return false;
    }
    bytesPlaced += Long.BYTES;
    return true;
  }

  /** Reports that a part of a region is being sent as the response to a read. */
  public void readBy(Mr mr, long address, int length, boolean more) {
    if (observer != null) {
      observer.before();
      observer.read(nativeAddress(mr, address), length, more);
    }
  }

  private static long nativeAddress(Mr mr, long address) {
    return mr.segment().address() + address - mr.addr();
  }

  public boolean placeLong(long value, SgList list, Mr[] regions) {
    for (int i = 0; i < list.count(); i++) {
      if (list.length(i) > 0 && !regions[i].isUsable()) {
        return false;
      }
    }
    if (unpinned.hasAny(list, regions)) {
      return place(Payload.of(MemorySegment.ofArray(new long[] {value}), 0, Long.BYTES), list, regions, 0);
    }
    try {
      scatterLong(value, list, regions);
      MissingPages.raise();
    } catch (IllegalStateException closed) {
      return false;
    } catch (InternalError error) {
      MissingPages.expect(error);
      return false;
    }
    bytesPlaced += 8;
    copies.add(8);
    return true;
  }

  private static void scatterLong(long value, SgList list, Mr[] regions) {
    int shift = 0;
    for (int i = 0; i < list.count(); i++) {
      for (int b = 0; b < list.length(i); b++, shift += 8) {
        long at = list.address(i) - regions[i].addr() + b;
        int position = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN ? shift : 56 - shift;
        regions[i].segment().set(ValueLayout.JAVA_BYTE, at, (byte) (value >>> position));
      }
    }
  }

  /** Whether the 8 bytes at that address are also aligned in the machine's memory. */
  public boolean isWordAligned(Mr mr, long address) {
    return mr.isUnpinned() || ((mr.segment().address() + address - mr.addr()) & 7) == 0;
  }

  /**
   * Executes a compare-and-swap and returns the original value. It is atomic with respect to other queue pairs and to local VarHandle access to the
   * same word.
   *
   * @throws IllegalStateException if the memory is no longer accessible; the caller must then call {@link #atomicGaveUp}
   */
  public long compareAndSwap(Mr mr, long address, long expected, long replacement) {
    beforeAccess();
    long found = mr.isUnpinned()
        ? unpinned.onWord(mr, address, (memory, at) -> (long) LONG.compareAndExchange(memory, at, expected, replacement))
        : compareAndExchange(mr.segment(), address - mr.addr(), expected, replacement);
    afterAtomic(mr, address, found == expected);
    return found;
  }

  /** Executes a fetch-and-add; otherwise like {@link #compareAndSwap}. */
  public long fetchAndAdd(Mr mr, long address, long addend) {
    beforeAccess();
    long found = mr.isUnpinned() ? unpinned.onWord(mr, address, (memory, at) -> (long) LONG.getAndAdd(memory, at, addend))
        : getAndAdd(mr.segment(), address - mr.addr(), addend);
    afterAtomic(mr, address, true);
    return found;
  }

  private static long compareAndExchange(MemorySegment memory, long at, long expected, long replacement) {
    try {
      // Read first: the JVM survives reading a word without a page, but interpreted code does not survive exchanging it.
      long found = (long) LONG.getVolatile(memory, at);
      MissingPages.raise();
      if (found == expected) {
        found = (long) LONG.compareAndExchange(memory, at, expected, replacement);
        MissingPages.raise();
      }
      return found;
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw MissingPages.target(Long.BYTES);
    }
  }

  private static long getAndAdd(MemorySegment memory, long at, long addend) {
    try {
      long found = (long) LONG.getAndAdd(memory, at, addend);
      MissingPages.raise();
      return found;
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw MissingPages.target(Long.BYTES);
    }
  }

  /** Reports that the memory of an atomic was not accessible. */
  public void atomicGaveUp() {
    if (observer != null) {
      observer.gaveUp();
    }
  }

  private void beforeAccess() {
    if (observer != null) {
      observer.before();
    }
  }

  private void afterAtomic(Mr mr, long address, boolean written) {
    if (observer != null) {
      observer.executedAtomic(nativeAddress(mr, address), written);
    }
  }
}
