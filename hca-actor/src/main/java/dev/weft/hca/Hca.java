package dev.weft.hca;

import java.lang.foreign.MemorySegment;

/** STUB being written: the verbs interface of one HCA, as {@code ibv_context}. */
public final class Hca {
  public int lid() {
    throw new UnsupportedOperationException();
  }

  public ProtectionDomain allocPd() {
    throw new UnsupportedOperationException();
  }

  /** Registers native memory; the region's address space starts at the segment's native address. */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, int access) {
    throw new UnsupportedOperationException();
  }

  /** Registers native memory at an address of the caller's choice. */
  public MemoryRegion regMr(ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    throw new UnsupportedOperationException();
  }

  public void deregMr(MemoryRegion mr) {
    throw new UnsupportedOperationException();
  }

  /** A completion queue of at least {@code cqe} entries; {@code handler} is null with POLLING. */
  public CompletionQueue createCq(int cqe, ReceiveContext context, CompletionHandler handler) {
    throw new UnsupportedOperationException();
  }

  public QueuePair createQp(ProtectionDomain pd, QpInitAttr attr) {
    throw new UnsupportedOperationException();
  }

  public void destroyQp(QueuePair qp) {
    throw new UnsupportedOperationException();
  }
}
