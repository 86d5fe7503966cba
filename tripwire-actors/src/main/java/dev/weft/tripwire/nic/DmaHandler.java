package dev.weft.tripwire.nic;

/** Called when a DMA request is done; on the hardware thread, in ISR context. */
@FunctionalInterface
public interface DmaHandler {
  /** The source of the request with this {@code userData} may be reused; with OK, all its bytes have left. */
  void onDone(long userData, Status status);
}
