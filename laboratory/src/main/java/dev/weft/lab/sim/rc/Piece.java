package dev.weft.lab.sim.rc;

/** A range of one of a node's memory areas. */
record Piece(Area area, int offset, int length) {
  /** The areas that each node registers, each as a region of its own. */
  enum Area {
    /** Random bytes that nobody writes: what is sent, and what peers read. */
    SOURCE,
    /** Receive buffers, answers of reads and atomics, bytes that are sent once. Holds guard bytes wherever nothing is due. */
    LOCAL,
    /** What peers write: one window for each queue pair. */
    WINDOWS,
    /** What peers' atomics work on. */
    WORDS
  }
}
