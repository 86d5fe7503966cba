package dev.weft.fabric.packet;

/**
 * The right to read the bytes of packets directly in their owner's memory. Its epoch number stays the same as long as the owner does not change
 * that memory. A reader compares the number after it has copied bytes; if the number has changed, the bytes count as lost. Any thread.
 */
public interface ReadLease {
  /** Returns the current epoch number. */
  int epoch();

  /** Returns the index of its number in the table that other processes see. */
  int slot();

  /** Ends the right to read all that was lent so far. The owner calls this before it changes the memory. */
  void revoke();
}
