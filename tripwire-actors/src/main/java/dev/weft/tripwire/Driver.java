package dev.weft.tripwire;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver of a NIC, as apertures, Tripwires, endpoints and queues call it; {@link Nic} is its only subclass, so a call costs no more. These
 * objects do not depend on the rest of the NIC.
 */
abstract class Driver {
  private static final Logger LOG = LoggerFactory.getLogger("dev.weft.tripwire.Nic"); // The name that users know; the class would turn the arrow back.

  abstract String name();

  abstract int lid();

  abstract DeviceHost host();

  abstract DeviceView core();

  abstract StoreRing stores();

  abstract long nowNs();

  abstract boolean isClosed();

  /** Runs a call on the hardware thread and waits for its result. */
  abstract <T> T control(Supplier<T> call);

  /** Ends an object; if the NIC is closed, that has ended it already. */
  abstract void giveBack(Runnable call);

  /** Puts a request into shared memory; waits while that is full. */
  abstract void post(BooleanSupplier request);

  /** Tries until the attempt succeeds, as a processor that waits for the bus. */
  abstract void await(BooleanSupplier attempt, Duration patience, String otherwise);

  abstract void run(ReceiveContext context, Runnable work);

  /** The ring of stores is not empty. */
  abstract void ringDoorbell();

  abstract void callDriver(DmaQueue queue);

  abstract void flushEvents(EventQueue queue);

  abstract void forget(EventQueue queue);

  /** Called the first time that a Tripwire watches registered memory. */
  abstract void watchRegions(Tripwire tripwire, MemoryRegion region);

  /** Calls a listener of an application; its failure must not stop the NIC. */
  static void tell(Runnable listener, String what, Object of) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.error("the {} of {} failed", what, of, e);
    }
  }
}
