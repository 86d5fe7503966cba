package dev.weft.tripwire;

import dev.weft.fabric.Check;
import dev.weft.fabric.time.AppThread;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.Notifications;
import dev.weft.tripwire.cam.RequestRing;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches a range of bytes for accesses over the network (CLAN, section 2.5). Setting the range and arming work in memory that is shared with the
 * NIC, without a call to the driver. Any thread.
 *
 * <p>It fires once for each write, or read, that touches its range, when the bytes of that access inside the range are visible. If it was set
 * {@code once}, firing disarms it. Testing needs the action {@link Cam#BITMAP}; waiting and handlers also need {@link Cam#FIFO}; {@link #counted}
 * needs {@link Cam#COUNTER}. The default is all actions.
 */
public final class Tripwire extends EventSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tripwire.class);

  private final Driver nic;
  private final int id;
  private final Notifications notifications;
  private final Queue<Runnable> sleepers = new ConcurrentLinkedQueue<>();
  private final AtomicLong untold = new AtomicLong();
  private volatile TripwireHandler handler;
  private volatile ReceiveContext context;
  volatile boolean closed;
  /** Whether it has been set on registered memory. */
  volatile boolean watchesRegions;

  Tripwire(Driver nic, int id) {
    this.nic = nic;
    this.id = id;
    notifications = nic.core().cam.notifications();
  }

  /** The identifier in the NIC's FIFO. */
  public int id() {
    return id;
  }

  // The watched range.

  /** Watches memory of this host in an aperture for accesses by others; not armed yet. */
  public Tripwire set(LocalAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.LOCAL_READ : Bank.LOCAL_WRITE, NetworkAddress.of(aperture.number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  /** Watches mapped memory of another host for accesses by this host; a write fires it when its bytes have left. Not armed yet. */
  public Tripwire set(RemoteAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.REMOTE_READ : Bank.REMOTE_WRITE, NetworkAddress.of(aperture.number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  /**
   * Watches memory that is registered with this host's HCA, for RDMA Write, Read and atomics of others, through any region or window. A message that
   * breaks off fires only Tripwires whose range it had passed. Close the Tripwire before you free the memory, because it watches addresses.
   *
   * <p>In virtual memory of the host, pages may have to be brought in first. A write is complete, and fires, when its data and everything before it
   * on its queue pair is where programs find it. Data that is dropped because its memory was unmapped meanwhile fires nothing.
   *
   * @param offset from the start of the region
   */
  public Tripwire set(MemoryRegion region, Watch watch, long offset, long length, boolean once) {
    check(offset, length, region.length());
    nic.watchRegions(this, region);
    return set(watch == Watch.READ ? Bank.REGION_READ : Bank.REGION_WRITE, region.segment().address() + offset, length, once, false,
        Cam.ALL_ACTIONS);
  }

  private static void check(long offset, long length, long limit) {
    if (offset < 0 || length < 1 || offset > limit - length) {
      throw new NicException(Status.OUT_OF_RANGE, "bytes " + offset + " to " + (offset + length) + " of " + limit);
    }
  }

  private Tripwire set(Bank bank, long start, long length, boolean once, boolean armed, int actions) {
    checkOpen();
    RequestRing ring = nic.core().requests;
    nic.post(() -> ring.set(nic.core().stream.phase(), id, bank, start, start + length, once, armed, actions));
    return this;
  }

  /** Sets the actions of a firing, {@link Cam} bits, and replaces earlier ones; call it after set and before arm. */
  public Tripwire actions(int actions) {
    nic.control(() -> {
      nic.core().setActions(id, actions);
      return null;
    });
    return this;
  }

  // Arming.

  /**
   * Arms it: the next access fires it. A thread that looks at the memory after this returns has either seen an access, or the access fires the
   * Tripwire. An access that was complete before does not fire it. No call to the driver.
   */
  public void arm() {
    checkOpen();
    nic.post(() -> nic.core().requests.arm(nic.core().stream.phase(), id));
  }

  /** Disarms it: no access that begins after this returns fires it. */
  public void disarm() {
    checkOpen();
    nic.post(() -> nic.core().requests.disarm(nic.core().stream.phase(), id));
  }

  // Notification.

  /** Whether it has fired since {@link #take}. Only reads the application's own memory. */
  public boolean isFired() {
    return notifications.bit(id);
  }

  /** Returns the same, and clears it. */
  public boolean take() {
    return notifications.takeBit(id);
  }

  /** Number of firings. */
  public long counted() {
    return notifications.counter(id);
  }

  /** Calls {@code newHandler} for later firings, in ISR, TASK_QUEUE or PROCESS context; null removes the handler. */
  public Tripwire onFired(TripwireHandler newHandler, ReceiveContext newContext) {
    if (newContext == ReceiveContext.POLLING) {
      throw new NicException(Status.INVALID, "a handler is called in ISR, TASK_QUEUE or PROCESS context; POLLING is take()");
    }
    context = newHandler == null ? newContext : Check.given("context", newContext);
    handler = newHandler;
    return this;
  }

  /**
   * Waits until it fires: polls first, then sleeps (CLAN, section 4.3). Not on the hardware thread.
   *
   * @param spinNs how long to poll, 0 to sleep at once
   * @param maxNs how long to wait in total
   * @return whether it has fired; the firing is then taken. False as soon as the Tripwire is closed
   */
  public boolean await(long spinNs, long maxNs) {
    if (take()) {
      return true;
    }
    if (spinNs > 0 && nic.host().help(this::isFired, Math.min(spinNs, maxNs)) && take()) {
      return true;
    }
    Thread me = Thread.currentThread();
    Runnable wake = () -> LockSupport.unpark(me);
    long startNs = nic.nowNs();
    sleepers.add(wake);
    try {
      while (!take()) {
        long leftNs = maxNs - spinNs - (nic.nowNs() - startNs);
        if (leftNs <= 0 || closed || me.isInterrupted()) {
          return take();
        }
        LockSupport.parkNanos(this, leftNs);
      }
      return true;
    } finally {
      sleepers.remove(wake);
    }
  }

  /** Waits in virtual time until it fires; takes the firing. Called by that thread. */
  public void await(AppThread thread) {
    Runnable wake = thread::unpark;
    sleepers.add(wake);
    while (!take()) {
      thread.park();
    }
    sleepers.remove(wake);
  }

  /** Called by the interrupt's handler after {@code firings} firings. Hardware thread, or the host's interrupt processor. */
  void fired(long firings) {
    if (closed) {
      return;
    }
    wakeAll();
    post(firings);
    if (handler != null && untold.getAndAdd(firings) == 0) {
      nic.run(context, this::tell);
    }
  }

  void wakeAll() {
    for (Runnable wake : sleepers) {
      wake.run();
    }
  }

  private void tell() {
    long firings = untold.get();
    while (firings > 0) {
      TripwireHandler to = handler;
      try {
        if (to != null && !closed) {
          to.onFired(this, firings);
        }
      } catch (RuntimeException e) {
        LOG.error("the handler of {} failed", this, e); // The handler's error must not stop the NIC.
      }
      firings = untold.addAndGet(-firings);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new NicException(Status.INVALID, this + " is closed");
    }
  }

  /** Frees the Tripwire. */
  @Override
  public void close() {
    nic.giveBack(() -> nic.core().free(this));
  }

  @Override
  public String describe() {
    return "tripwire " + id;
  }

  @Override
  public String toString() {
    return "Tripwire[" + id + (closed ? " closed" : "") + "]";
  }
}
