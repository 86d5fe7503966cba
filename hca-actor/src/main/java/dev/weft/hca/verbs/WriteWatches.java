package dev.weft.hca.verbs;

/**
 * Notifies of writes to registered memory, instead of a completion event. The Tripwires of a CLAN NIC in the same host do that (CLAN section 2.5). See
 * {@link Hca#writeWatches}.
 */
public interface WriteWatches {
  /**
   * Creates a watch, not armed, on bytes of a region for RDMA Writes of other hosts. Hardware thread.
   *
   * @param offset offset from the start of the region
   * @param written runs in an interrupt service routine after a write, when all its bytes are visible; must not block
   * @throws RefusedException if the NIC cannot watch the bytes, for example because all its Tripwires are in use
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
    /** Requests one notification of the next write. A reader that checks the memory after this call either sees the write or is notified. */
    void arm();

    /** Ends the watch; no further notifications. */
    void close();
  }
}
