package dev.weft.hca.memory;

import dev.weft.fabric.memory.MemoryLoan;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AtomicObserver;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QueuePair;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** An entry of the {@link MrTable}: a region, or what a window is bound to. */
public final class Mr implements MemoryRegion {
  private final Pd pd;
  private final MemorySegment segment;
  private final long addr;
  private final int key;
  private final boolean pinned;
  private final AtomicBoolean pagesUnlocked = new AtomicBoolean();
  /** The window that this entry is the binding of; null for a region. */
  private final Mw window;
  /** Buffer or device memory that this is part of, or null. */
  private final HeldMemory held;
  private final boolean unpinned;
  volatile int access;
  private volatile boolean valid = true;
  /** What is on its way refers to the memory under this. */
  private final MemoryLoan loan = new MemoryLoan();
  /** Hardware thread. */
  private AtomicObserver atomicObserver;
  /** Windows that are bound to this region. Hardware thread. */
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

  /** The part of {@code region} that a window is bound to; its addresses start at {@code start}. */
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

  /** Told of atomics on it, or null. */
  public AtomicObserver atomicObserver() {
    return atomicObserver;
  }

  /** Has {@code observer} told of every atomic on it, null for nobody. */
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
   * From now on nothing of this process touches the memory, what is on its way either. Other processes may be reading it still: whoever gives
   * it away calls {@link MemoryLoan#awaitReaders}. Hardware thread.
   */
  public void invalidate() {
    valid = false;
    loan.end();
  }

  /** Unlocks its pages, once. The HCA does not touch the memory any more. Any thread. */
  public void unpin() {
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
  public boolean isUsable() {
    return valid && segment.scope().isAlive();
  }

  /** Whether the peer of {@code qp} may go through this key: a type 2 window serves one queue pair. */
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
