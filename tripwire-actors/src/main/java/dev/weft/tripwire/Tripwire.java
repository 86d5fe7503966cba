package dev.weft.tripwire;

import dev.weft.fabric.Check;
import dev.weft.fabric.time.AppThread;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.Notifications;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of accesses over the network to a range of bytes (seed 003 section 2.5). The range is said, and the Tripwire armed, in memory that
 * is shared with the NIC, without a call. Any thread.
 *
 * <p>It fires once for each write, or read, that touches its range, when the bytes of that write inside the range are visible. One that
 * was set {@code once} is disarmed by firing. Testing needs the action {@link Cam#BITMAP}, waiting and handlers {@link Cam#FIFO} as
 * well, {@link #counted} {@link Cam#COUNTER}; the usual is all.
 */
public final class Tripwire extends EventSource implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tripwire.class);

  private final Nic nic;
  private final int id;
  private final Notifications notifications;
  private final Queue<Runnable> sleepers = new ConcurrentLinkedQueue<>();
  private final AtomicLong untold = new AtomicLong();
  private volatile TripwireHandler handler;
  private volatile ReceiveContext context;
  volatile boolean closed;
  /** It has been set on registered memory. */
  volatile boolean watchesRegions;

  Tripwire(Nic nic, int id) {
    this.nic = nic;
    this.id = id;
    notifications = nic.core().cam.notifications();
  }

  /** The identifier that the NIC puts into its FIFO. */
  public int id() {
    return id;
  }

  // What it watches.

  /** Watches memory of this host in an aperture, for accesses by others; not armed yet. */
  public Tripwire set(LocalAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.LOCAL_READ : Bank.LOCAL_WRITE, NetworkAddress.of(aperture.number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  /** Watches memory of another host that is mapped here, for accesses by this host; a write fires it when its bytes have left. */
  public Tripwire set(RemoteAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.REMOTE_READ : Bank.REMOTE_WRITE, NetworkAddress.of(aperture.number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  /**
   * Watches memory that is registered with this host's HCA, for RDMA Write, Read and atomics of others, through whatever region or
   * window. A message that breaks off fires only Tripwires whose range it had passed. Close the Tripwire before the memory is freed: it
   * watches addresses.
   *
   * <p>In virtual memory of the host a write is complete, and fires, when its data and all that came before it on its queue pair is
   * where programs find it, though pages had to be brought in first. Data that is dropped, because its memory was unmapped meanwhile, fires
   * nothing.
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

  /** Sets what happens when it fires, {@link Cam} bits, in place of all; called after set and before arm. */
  public Tripwire actions(int actions) {
    nic.control(() -> {
      nic.core().setActions(id, actions);
      return null;
    });
    return this;
  }

  // Arming.

  /**
   * The next access fires it. Whoever looks at the memory after this returns has either seen an access or is told of it, and is not told
   * of one that was complete before. No call to the driver.
   */
  public void arm() {
    checkOpen();
    nic.post(() -> nic.core().requests.arm(nic.core().stream.phase(), id));
  }

  /** No access that begins after this returns fires it. */
  public void disarm() {
    checkOpen();
    nic.post(() -> nic.core().requests.disarm(nic.core().stream.phase(), id));
  }

  // Being told.

  /** Whether it has fired since {@link #take}. A look at the application's own memory. */
  public boolean isFired() {
    return notifications.bit(id);
  }

  /** The same, and forgets it. */
  public boolean take() {
    return notifications.takeBit(id);
  }

  /** How often it has fired. */
  public long counted() {
    return notifications.counter(id);
  }

  /** Has {@code newHandler} called for firings from now on, in ISR, TASK_QUEUE or PROCESS context; null for nobody. */
  public Tripwire onFired(TripwireHandler newHandler, ReceiveContext newContext) {
    if (newContext == ReceiveContext.POLLING) {
      throw new NicException(Status.INVALID, "a handler is called in ISR, TASK_QUEUE or PROCESS context; POLLING is take()");
    }
    context = newHandler == null ? newContext : Check.given("context", newContext);
    handler = newHandler;
    return this;
  }

  /**
   * Waits until it fires: first as one that polls, then asleep (seed 003 section 4.3). Not on the hardware thread.
   *
   * @param spinNs how long to poll, 0 to sleep at once
   * @param maxNs how long to wait in all
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

  /** Waits, in virtual time, until it fires; the firing is then taken. Called by that thread. */
  public void await(AppThread thread) {
    Runnable wake = thread::unpark;
    sleepers.add(wake);
    while (!take()) {
      thread.park();
    }
    sleepers.remove(wake);
  }

  /** The interrupt's handler: it has fired {@code firings} times. Hardware thread, or the host's interrupt processor. */
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
        LOG.error("the handler of {} failed", this, e); // It has failed its application, not the NIC.
      }
      firings = untold.addAndGet(-firings);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new NicException(Status.INVALID, this + " is closed");
    }
  }

  /** Gives it back. */
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
