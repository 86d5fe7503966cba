package dev.weft.fabric.packet;

/**
 * Memory that its owner has lent to the fabric, a registered region for example, until it takes it back. The bytes of a payload are looked at
 * only while their loan lasts: whoever comes to one that has ended takes the packet for lost.
 */
public interface Loan {
  /** Whether the owner has taken the memory back, for good. Any thread; on the hardware thread of its owner it stays as it is meanwhile. */
  boolean isEnded();

  /** What tells processes that read the memory themselves; made when it is first asked for. Hardware thread. */
  ReadLease lease();
}
