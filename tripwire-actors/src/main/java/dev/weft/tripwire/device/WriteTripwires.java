package dev.weft.tripwire.device;

import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WriteWatches;
import dev.weft.tripwire.driver.CamTripwire;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Watch;
import java.util.function.Supplier;

/** Notifies protocols over verbs, by Tripwires, of writes to their memory; the protocols need not know this NIC. Hardware thread. */
final class WriteTripwires implements WriteWatches {
  private final Supplier<CamTripwire> tripwires;

  /** @param tripwires makes a Tripwire, or throws a NicException */
  WriteTripwires(Supplier<CamTripwire> tripwires) {
    this.tripwires = tripwires;
  }

  @Override
  public WriteWatch watch(MemoryRegion region, long offset, long length, Runnable written) {
    CamTripwire wire;
    try {
      wire = tripwires.get();
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
