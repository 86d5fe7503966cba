package dev.weft.hca.transport;

/** The results of the last atomics, which answer duplicates. Hardware thread. */
final class RcSavedAtomics {
  private int[] psns = new int[0];
  private long[] results = new long[0];
  private boolean[] valid = new boolean[0];
  private int next;

  void start(int max) {
    psns = new int[max];
    results = new long[max];
    valid = new boolean[max];
    next = 0;
  }

  /** Changes the number of saved results; keeps the latest ones. */
  void resize(int max) {
    int[] oldPsns = psns;
    long[] oldResults = results;
    boolean[] oldValid = valid;
    int oldNext = next;
    start(max);
    int kept = Math.min(max, oldPsns.length);
    for (int i = 0; i < kept; i++) {
      int from = (oldNext - kept + i + oldPsns.length) % oldPsns.length;
      psns[i] = oldPsns[from];
      results[i] = oldResults[from];
      valid[i] = oldValid[from];
    }
    next = max == 0 ? 0 : kept % max;
  }

  void save(int psn, long original) {
    psns[next] = psn;
    results[next] = original;
    valid[next] = true;
    next = (next + 1) % psns.length;
  }

  long latest() {
    return results[(next + psns.length - 1) % psns.length];
  }

  /** Returns the index of the result for that PSN; -1 if it is not saved. */
  int find(int psn) {
    for (int age = 1; age <= psns.length; age++) {
      int i = (next - age + psns.length) % psns.length;
      if (valid[i] && psns[i] == psn) {
        return i;
      }
    }
    return -1;
  }

  long result(int at) {
    return results[at];
  }
}
