package dev.weft.fabric.host;

/** The contexts of queue pairs that an engine of an adapter has at hand: the ones used last. */
final class QpContexts {
  private final long[] recent;
  private int count;

  /** @param entries contexts that fit, 1 or more */
  QpContexts(int entries) {
    recent = new long[entries];
  }

  /** Uses a context; whether it had to be fetched, in place of the one that was not used for longest. */
  boolean misses(long queuePair) {
    int at = 0;
    while (at < count && recent[at] != queuePair) {
      at++;
    }
    boolean missing = at == count;
    if (missing && count < recent.length) {
      count++;
    }
    int last = Math.min(at, recent.length - 1);
    System.arraycopy(recent, 0, recent, 1, last);
    recent[0] = queuePair;
    return missing;
  }
}
