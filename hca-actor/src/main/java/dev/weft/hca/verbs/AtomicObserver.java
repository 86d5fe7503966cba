package dev.weft.hca.verbs;

/** Called on the hardware thread for each atomic that the HCA has executed on a region for a peer; see {@link Hca#observeAtomics}. */
@FunctionalInterface
public interface AtomicObserver {
  /**
   * Handles an executed atomic, before its response is sent. Must not block.
   *
   * @param qpNum number of the queue pair of this HCA that received it
   * @param compare the comparison value of a compare-and-swap, otherwise 0
   * @param swapAdd the value to write if the comparison succeeds, or the value to add
   * @param original the value of the word before
   */
  void executed(int qpNum, long address, boolean isSwap, long compare, long swapAdd, long original);
}
