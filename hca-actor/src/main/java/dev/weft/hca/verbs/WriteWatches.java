package dev.weft.hca.verbs;

/**
 * Who can tell of writes to registered memory, in place of a completion event: the Tripwires of a CLAN NIC in the same host (seed 003
 * section 2.5). See {@link Hca#writeWatches}.
 */
public interface WriteWatches {
  /**
   * Watches bytes of a region for RDMA Writes of others; not armed yet. Hardware thread.
   *
   * @param offset from the start of the region
   * @param written run in an interrupt service routine after a write, all of whose bytes are visible; may not block
   * @throws RefusedException if the NIC cannot, for example because all its Tripwires are taken
   */
  WriteWatch watch(MemoryRegion region, long offset, long length, Runnable written);

  /** A watch that could not be set. */
  final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public RefusedException(RuntimeException cause) {
      super(cause.getMessage(), cause);
    }
  }

  /** A watch on some bytes. Hardware thread. */
  interface WriteWatch {
    /** The next write is told of, once. Whoever looks at the memory after this either sees it or is told. */
    void arm();

    /** Nothing is told any more. */
    void close();
  }
}
