package dev.weft.hca.memory;

import dev.weft.fabric.memory.MemoryLoan;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AtomicObserver;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** An entry of the {@link MrTable}: a region, or the binding of a window. */
public final class Mr implements MemoryRegion {
  private final Pd pd;
  private final MemorySegment segment;
  private final long addr;
  private final int key;
  private final boolean pinned;
  private final AtomicBoolean pagesUnlocked = new AtomicBoolean();
  /** The window whose binding this entry is; null for a region. */
  private final Mw window;
  /** The buffer or device memory that this region is a part of, or null. */
  private final HeldMemory held;
  private final boolean unpinned;
  volatile int access;
  private volatile boolean valid = true;
  /** The loan under which packets in flight refer to the memory. */
  private final MemoryLoan loan = new MemoryLoan();
  /** Used on the hardware thread. */
  private AtomicObserver atomicObserver;
  /** The number of windows that are bound to this region. Hardware thread. */
  int windows;

  Mr(Pd pd, MemorySegment segment, long addr, int key, int access, boolean pinned, boolean unpinned, HeldMemory held) {
    this.pd = pd;
    this.segment = segment;
    this.addr = addr;
    this.key = key;
    this.access = access;
    this.pinned = pinned;
    window = null;
    this.held = held;
    this.unpinned = unpinned;
  }

  /** Creates the binding of a window to a part of {@code region}; its addresses start at {@code start}. */
  Mr(Mw window, Mr region, MwBind bind, long start) {
    pd = region.pd;
    segment = region.segment.asSlice(bind.addr() - region.addr, bind.length());
    addr = start;
    key = bind.rkey();
    access = bind.access();
    pinned = false;
    this.window = window;
    held = null;
    unpinned = region.unpinned;
  }

  /** The observer of atomics on this region, or null. */
  public AtomicObserver atomicObserver() {
    return atomicObserver;
  }

  /** Sets the observer that is called for every atomic on this region; null for none. */
  public void observeAtomics(AtomicObserver observer) {
    atomicObserver = observer;
  }

  HeldMemory held() {
    return held;
  }

  @Override
  public boolean isUnpinned() {
    return unpinned;
  }

  Mw window() {
    return window;
  }

  @Override
  public long addr() {
    return addr;
  }

  @Override
  public long length() {
    return segment.byteSize();
  }

  @Override
  public int lkey() {
    return key;
  }

  @Override
  public int rkey() {
    return key;
  }

  @Override
  public int access() {
    return access;
  }

  @Override
  public Pd pd() {
    return pd;
  }

  @Override
  public MemorySegment segment() {
    return segment;
  }

  @Override
  public boolean isPinned() {
    return pinned;
  }

  @Override
  public boolean isValid() {
    return valid;
  }

  public MemoryLoan loan() {
    return loan;
  }

  /**
   * Invalidates the region: from now on this process, including its packets in flight, does not touch the memory. Other processes may still be reading
   * it; call {@link MemoryLoan#awaitReaders} before releasing the memory. Hardware thread.
   */
  public void invalidate() {
    valid = false;
    loan.end();
  }

  /** Unlocks its pages, once. Call it only when the HCA does not touch the memory any more. Any thread. */
  public void unpin() {
    if (pinned && pagesUnlocked.compareAndSet(false, true)) {
      PageLocks.unlock(segment);
    }
  }

  /** Brings in pages of the region; returns false without touching them if the region is invalid. Any thread. */
  boolean touch(MemorySegment range, boolean write) {
    synchronized (loan) {
      try {
        if (valid) {
          PageAdvice.touch(range, write);
        }
      } catch (IllegalStateException closed) {
        return false;
      }
      return valid;
    }
  }

  /** Waits, after {@link #invalidate}, for the end of a {@link #touch}. */
  void awaitTouch() {
    synchronized (loan) {
      assert !valid;
    }
  }

  /** Whether the HCA may touch the memory: the region is valid and its arena is open. */
  public boolean isUsable() {
    return valid && segment.scope().isAlive();
  }

  /** Whether the peer of {@code qp} may use this key: a type 2 window serves only one queue pair. */
  public boolean serves(QueuePair qp) {
    return window == null || window.queuePair == null || window.queuePair == qp;
  }

  public boolean contains(long address, long lengthBytes) {
    long offset = address - addr;
    return offset >= 0 && lengthBytes >= 0 && offset <= segment.byteSize() - lengthBytes;
  }

  @Override
  public String toString() {
    return "MemoryRegion[addr=0x" + Long.toHexString(addr) + " length=" + length() + " access=" + Access.describe(access)
        + (pinned ? " pinned" : "") + (valid ? "" : " invalid") + "]";
  }
}
