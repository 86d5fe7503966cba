package dev.weft.tripwire.nic;

import dev.weft.fabric.time.AppThread;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.Cam;

/**
 * Watches a range of bytes for accesses over the network (CLAN, section 2.5). Setting the range and arming work in memory that is shared with the
 * NIC, without a call to the driver. Any thread.
 *
 * <p>It fires once for each write, or read, that touches its range, when the bytes of that access inside the range are visible. If it was set
 * {@code once}, firing disarms it. Testing needs the action {@link Cam#BITMAP}; waiting and handlers also need {@link Cam#FIFO}; {@link #counted}
 * needs {@link Cam#COUNTER}. The default is all actions.
 */
public interface Tripwire extends EventSource, AutoCloseable {
  /** The identifier in the NIC's FIFO. */
  int id();

  /** Watches memory of this host in an aperture for accesses by others; not armed yet. */
  Tripwire set(LocalAperture aperture, Watch watch, long offset, long length, boolean once);

  /** Watches mapped memory of another host for accesses by this host; a write fires it when its bytes have left. Not armed yet. */
  Tripwire set(RemoteAperture aperture, Watch watch, long offset, long length, boolean once);

  /**
   * Watches memory that is registered with this host's HCA, for RDMA Write, Read and atomics of others, through any region or window. A message that
   * breaks off fires only Tripwires whose range it had passed. Close the Tripwire before you free the memory, because it watches addresses.
   *
   * <p>In virtual memory of the host, pages may have to be brought in first. A write is complete, and fires, when its data and everything before it
   * on its queue pair is where programs find it. Data that is dropped because its memory was unmapped meanwhile fires nothing.
   *
   * @param offset from the start of the region
   */
  Tripwire set(MemoryRegion region, Watch watch, long offset, long length, boolean once);

  /** Sets the actions of a firing, {@link Cam} bits, and replaces earlier ones; call it after set and before arm. */
  Tripwire actions(int actions);

  /**
   * Arms it: the next access fires it. A thread that looks at the memory after this returns has either seen an access, or the access fires the
   * Tripwire. An access that was complete before does not fire it. No call to the driver.
   */
  void arm();

  /** Disarms it: no access that begins after this returns fires it. */
  void disarm();

  /** Whether it has fired since {@link #take}. Only reads the application's own memory. */
  boolean isFired();

  /** Returns the same, and clears it. */
  boolean take();

  /** Number of firings. */
  long counted();

  /** Calls {@code newHandler} for later firings, in ISR, TASK_QUEUE or PROCESS context; null removes the handler. */
  Tripwire onFired(TripwireHandler newHandler, ReceiveContext newContext);

  /**
   * Waits until it fires: polls first, then sleeps (CLAN, section 4.3). Not on the hardware thread.
   *
   * @param spinNs how long to poll, 0 to sleep at once
   * @param maxNs how long to wait in total
   * @return whether it has fired; the firing is then taken. False as soon as the Tripwire is closed
   */
  boolean await(long spinNs, long maxNs);

  /** Waits in virtual time until it fires; takes the firing. Called by that thread. */
  void await(AppThread thread);

  /** Frees the Tripwire. */
  @Override
  void close();
}
