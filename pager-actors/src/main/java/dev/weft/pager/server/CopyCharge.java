package dev.weft.pager.server;

/**
 * What virtual time charges for copying between a staged store and its staging buffers: code takes no time there, so whoever models a
 * processor says how long its copies last. In real time they take the time they take.
 */
@FunctionalInterface
public interface CopyCharge {
  /** Charges nothing. */
  CopyCharge NONE = (isWrite, bytes) -> 0;

  /**
   * A copy was asked for now.
   *
   * @param isWrite into the store, or out of it
   * @return nanoseconds of the node's clock at which it is made; 0 if it is already
   */
  long madeAtNs(boolean isWrite, long bytes);
}
