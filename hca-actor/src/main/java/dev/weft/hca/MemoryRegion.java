package dev.weft.hca;

import dev.weft.fabric.memory.MemoryLoan;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Registered memory. The keys cannot be guessed. Immutable but for {@link #isValid()}, which local invalidation and
 * deregistration clear, and {@link #access()}, which re-registration may change.
 */
public final class MemoryRegion {
  private final ProtectionDomain pd;
  private final MemorySegment segment;
  private final long addr;
  private final int key;
  private final boolean pinned;
  private final AtomicBoolean pagesUnlocked = new AtomicBoolean();
  /** The window that this entry is the binding of; null for a region. */
  private final MemoryWindow window;
  /** Buffer or device memory that this is part of, or null. */
  private final HeldMemory held;
  private final boolean unpinned;
  volatile int access;
  private volatile boolean valid = true;
  /** What is on its way refers to the memory under this. */
  private final MemoryLoan loan = new MemoryLoan();
  /** Told of atomics on it, or null. Hardware thread. */
  AtomicObserver atomicObserver;
  /** Windows that are bound to this region. Hardware thread. */
  int windows;

  MemoryRegion(ProtectionDomain pd, MemorySegment segment, long addr, int key, int access, boolean pinned, HeldMemory held) {
    this.pd = pd;
    this.segment = segment;
    this.addr = addr;
    this.key = key;
    this.access = access;
    this.pinned = pinned;
    window = null;
    this.held = held;
    unpinned = pd != null && pd.hca().core().unpinned.owns(segment);
  }

  /** The part of {@code region} that a window is bound to; its addresses start at {@code start}. */
  MemoryRegion(MemoryWindow window, MemoryRegion region, MwBind bind, long start) {
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

  HeldMemory held() {
    return held;
  }

  /** Whether this is virtual memory of the host, so that {@link #segment} only names it. */
  public boolean isUnpinned() {
    return unpinned;
  }

  MemoryWindow window() {
    return window;
  }

  /** First address of the region, in the address space that work requests use. */
  public long addr() {
    return addr;
  }

  /** Length in bytes. */
  public long length() {
    return segment.byteSize();
  }

  public int lkey() {
    return key;
  }

  public int rkey() {
    return key;
  }

  /** {@link Access} bits. */
  public int access() {
    return access;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  /** The memory itself; of virtual memory of the host, its name. */
  public MemorySegment segment() {
    return segment;
  }

  /** Whether the pages are locked in physical memory; false where the limit on locked memory forbade it. */
  public boolean isPinned() {
    return pinned;
  }

  /** False after deregistration or LOCAL_INV. */
  public boolean isValid() {
    return valid;
  }

  MemoryLoan loan() {
    return loan;
  }

  /**
   * From now on nothing of this process touches the memory, what is on its way either. Other processes may be reading it still: whoever gives
   * it away calls {@link MemoryLoan#awaitReaders}. Hardware thread.
   */
  void invalidate() {
    valid = false;
    loan.end();
  }

  /** Unlocks its pages, once. The HCA does not touch the memory any more. Any thread. */
  void unpin() {
    if (pinned && pagesUnlocked.compareAndSet(false, true)) {
      PageLocks.unlock(segment);
    }
  }

  /** Brings pages of it in; false, and nothing is touched any more, if it is invalid. Any thread. */
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

  /** After {@link #invalidate}: waits for {@link #touch}. */
  void awaitTouch() {
    synchronized (loan) {
      assert !valid;
    }
  }

  /** Whether the HCA may touch the memory: the region is valid and its arena is open. */
  boolean isUsable() {
    return valid && segment.scope().isAlive();
  }

  /** Whether the peer of {@code qp} may go through this key: a type 2 window serves one queue pair. */
  boolean serves(QueuePair qp) {
    return window == null || window.queuePair == null || window.queuePair == qp;
  }

  boolean contains(long address, long lengthBytes) {
    long offset = address - addr;
    return offset >= 0 && lengthBytes >= 0 && offset <= segment.byteSize() - lengthBytes;
  }

  @Override
  public String toString() {
    return "MemoryRegion[addr=0x" + Long.toHexString(addr) + " length=" + length() + " access=" + Access.describe(access)
        + (pinned ? " pinned" : "") + (valid ? "" : " invalid") + "]";
  }
}
