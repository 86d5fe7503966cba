package dev.weft.tripwire;

/** Told when a DMA request is done; on the hardware thread, in ISR context. */
@FunctionalInterface
public interface DmaHandler {
  /** The source of the request with this {@code userData} may be used again; OK says that its bytes have left in full. */
  void onDone(long userData, Status status);
}
