package dev.weft.fabric.packet;

/**
 * Memory, such as a registered region, that its owner has lent to the fabric until the owner takes it back. The fabric reads the bytes of a
 * payload only while their loan lasts. If the loan has ended, the packet counts as lost.
 */
public interface Loan {
  /** Whether the owner has taken the memory back, for good. Any thread; the answer changes only on the owner's hardware thread. */
  boolean isEnded();

  /** Returns the lease that tells other processes whether they may still read the memory. The first call makes it. Hardware thread. */
  ReadLease lease();
}
