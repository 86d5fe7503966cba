package dev.weft.dsm.release;

/** Reads the entries of a batch; see {@link Staging}. */
final class Entries {
  /** Receives one entry. */
  interface Visitor {
    /**
     * Receives an entry.
     *
     * @param data offset of its data in the frames
     */
    void visit(int minipage, int question, int offset, int bytes, long data);
  }

  private Entries() {}

  /**
   * Visits all entries of a batch in the frames, in order.
   *
   * @throws IllegalArgumentException if an entry does not fit into the batch
   */
  static void visit(Staging staging, long begin, long end, Visitor visitor) {
    long at = begin;
    while (at < end) {
      requireRoom(Staging.HEADER_BYTES, end - at);
      int bytes = staging.field(at, 3);
      long data = at + Staging.HEADER_BYTES;
      requireRoom(bytes, end - data);
      visitor.visit(staging.field(at, 0), staging.field(at, 1), staging.field(at, 2), bytes, data);
      at = data + (bytes + 7 & -8);
    }
  }

  private static void requireRoom(int bytes, long left) {
    if (bytes < 1 || bytes > left) {
      throw new IllegalArgumentException("an update of " + bytes + " bytes where its batch has " + left + " left");
    }
  }
}
