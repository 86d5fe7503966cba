package dev.weft.tripwire.driver;

import dev.weft.hca.node.DeviceHost;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.nic.Nic;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver of a NIC, as apertures, Tripwires, endpoints and queues call it; {@code NicDevice} is its only subclass, so a call costs no more. These
 * objects do not depend on the rest of the NIC.
 */
public abstract class Driver {
  private static final Logger LOG = LoggerFactory.getLogger(Nic.class);

  public abstract String name();

  public abstract int lid();

  public abstract DeviceHost host();

  public abstract DeviceView core();

  public abstract StoreRing stores();

  public abstract long nowNs();

  public abstract boolean isClosed();

  /** Runs a call on the hardware thread and waits for its result. */
  public abstract <T> T control(Supplier<T> call);

  /** Ends an object; if the NIC is closed, that has ended it already. */
  public abstract void giveBack(Runnable call);

  /** Puts a request into shared memory; waits while that is full. */
  public abstract void post(BooleanSupplier request);

  /** Tries until the attempt succeeds, as a processor that waits for the bus. */
  public abstract void await(BooleanSupplier attempt, Duration patience, String otherwise);

  public abstract void run(ReceiveContext context, Runnable work);

  /** The ring of stores is not empty. */
  public abstract void ringDoorbell();

  public abstract void callDriver(DmaRing queue);

  public abstract void flushEvents(EventRing queue);

  public abstract void forget(EventRing queue);

  /** Called the first time that a Tripwire watches registered memory. */
  public abstract void watchRegions(CamTripwire tripwire, MemoryRegion region);

  /** Calls a listener of an application; its failure must not stop the NIC. */
  public static void tell(Runnable listener, String what, Object of) {
    try {
      listener.run();
    } catch (RuntimeException e) {
      LOG.error("the {} of {} failed", what, of, e);
    }
  }
}
