package dev.weft.hca.verbs;

/**
 * Observes the accesses of other hosts to registered memory: RDMA Writes, Reads and atomics. The responder calls it on the hardware thread, before and
 * after the access of each packet; it must not block. Addresses are native addresses. So accesses through a window, or through an overlapping region,
 * have the same addresses.
 */
public interface AccessObserver {
  /** Bytes will be written or read; one of the calls below follows. */
  void before();

  /** The bytes were written and are visible. {@code more}: further bytes of the same message follow. */
  void written(long nativeAddress, long length, boolean more);

  /** The bytes were read. {@code more} as above. */
  void read(long nativeAddress, long length, boolean more);

  /** An atomic has read eight bytes. {@code written} is false for a compare-and-swap whose comparison failed. */
  void executedAtomic(long nativeAddress, boolean written);

  /** The memory is no longer accessible; no byte was written or read. */
  void gaveUp();
}
