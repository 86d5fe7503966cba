package dev.weft.tripwire;

import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WriteWatches;

/** Notifies protocols over verbs, by Tripwires, of writes to their memory; the protocols need not know this NIC. Hardware thread. */
final class WriteTripwires implements WriteWatches {
  private final Nic nic;

  WriteTripwires(Nic nic) {
    this.nic = nic;
  }

  @Override
  public WriteWatch watch(MemoryRegion region, long offset, long length, Runnable written) {
    Tripwire wire;
    try {
      wire = nic.tripwire();
    } catch (NicException refused) {
      throw new RefusedException(refused);
    }
    wire.set(region, Watch.WRITE, offset, length, true).onFired((fired, firings) -> written.run(), ReceiveContext.ISR);
    return new WriteWatch() {
      @Override
      public void arm() {
        wire.arm();
      }

      @Override
      public void close() {
        wire.close();
      }
    };
  }
}
