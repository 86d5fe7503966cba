package dev.weft.hca.verbs;

/** Told, on the hardware thread, of each atomic that the HCA has executed on a region for a peer; see {@link Hca#observeAtomics}. */
@FunctionalInterface
public interface AtomicObserver {
  /**
   * An atomic was executed; its answer has not left yet. May not block.
   *
   * @param qpNum queue pair of this HCA that it came through
   * @param compare what a compare-and-swap compared with, else 0
   * @param swapAdd what it wrote if that was equal, or what was added
   * @param original the word before
   */
  void executed(int qpNum, long address, boolean isSwap, long compare, long swapAdd, long original);
}
