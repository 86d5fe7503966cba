package dev.weft.lab.sim.rc;

/** A range of one of a node's memory areas. */
record Piece(Area area, int offset, int length) {
  /** The areas that each node registers, each as its own region. */
  enum Area {
    /** Random bytes that are never written: data to send, and data that peers read. */
    SOURCE,
    /** Receive buffers, results of reads and atomics, data that is sent once. Holds guard bytes wherever no data is expected. */
    LOCAL,
    /** Written by peers: one window for each queue pair. */
    WINDOWS,
    /** Changed by peers' atomics. */
    WORDS
  }
}
