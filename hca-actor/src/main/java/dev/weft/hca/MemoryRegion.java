package dev.weft.hca;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. The keys cannot be guessed. Immutable but for {@link #isValid()}, which local invalidation and
 * deregistration clear.
 */
public final class MemoryRegion {
  private final ProtectionDomain pd;
  private final MemorySegment segment;
  private final long addr;
  private final int key;
  private final int access;
  private final boolean pinned;
  volatile boolean valid = true;

  MemoryRegion(ProtectionDomain pd, MemorySegment segment, long addr, int key, int access, boolean pinned) {
    this.pd = pd;
    this.segment = segment;
    this.addr = addr;
    this.key = key;
    this.access = access;
    this.pinned = pinned;
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

  /** The memory itself. */
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

  /** Whether the HCA may touch the memory: the region is valid and its arena is open. */
  boolean isUsable() {
    return valid && segment.scope().isAlive();
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
