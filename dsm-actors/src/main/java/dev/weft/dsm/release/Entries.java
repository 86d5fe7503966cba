package dev.weft.dsm.release;

/** Reads the entries of a batch; see {@link Staging}. */
final class Entries {
  /** Sees one entry. */
  interface Visitor {
    /**
     * An entry.
     *
     * @param data where its data is in the frames
     */
    void visit(int minipage, int question, int offset, int bytes, long data);
  }

  private Entries() {}

  /**
   * All entries of a batch that is in the frames, in order.
   *
   * @throws IllegalArgumentException if one does not fit into the batch
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
