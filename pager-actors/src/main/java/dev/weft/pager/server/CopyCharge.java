package dev.weft.pager.server;

/**
 * The cost in virtual time of copies between a staged store and its staging buffers. Code takes no virtual time, so the model of a
 * processor must provide the duration of copies. Not used in real time.
 */
@FunctionalInterface
public interface CopyCharge {
  /** Charges nothing. */
  CopyCharge NONE = (isWrite, bytes) -> 0;

  /**
   * Charges a copy that is requested now.
   *
   * @param isWrite whether the copy goes into the store, not out of it
   * @return the time of the node's clock, in nanoseconds, at which the copy is finished; 0 if it is already finished
   */
  long madeAtNs(boolean isWrite, long bytes);
}
