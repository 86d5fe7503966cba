package dev.weft.hca.verbs;

/**
 * Sees what other hosts do to registered memory: RDMA Write, Read and atomics, in the responder's path. Called on the hardware thread,
 * around each packet's part; it may not block. Addresses are the memory's native ones, so that an access through a window, or through
 * another region that lies over it, is the same access.
 */
public interface AccessObserver {
  /** Bytes are about to be written or read; one of the calls below follows. */
  void before();

  /** They were written and are visible. {@code more}: the same message goes on behind them. */
  void written(long nativeAddress, long length, boolean more);

  /** They were read. */
  void read(long nativeAddress, long length, boolean more);

  /** An atomic has read eight bytes and, unless it was a comparison that failed, written them. */
  void executedAtomic(long nativeAddress, boolean written);

  /** The memory is gone: nothing was done. */
  void gaveUp();
}
