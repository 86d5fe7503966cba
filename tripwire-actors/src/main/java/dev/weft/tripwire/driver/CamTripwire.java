package dev.weft.tripwire.driver;

import dev.weft.fabric.Check;
import dev.weft.fabric.time.AppThread;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.Notifications;
import dev.weft.tripwire.cam.RequestRing;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.TripwireHandler;
import dev.weft.tripwire.nic.Watch;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Tripwire in the CAM of a NIC. */
public final class CamTripwire extends Source implements Tripwire {
  private static final Logger LOG = LoggerFactory.getLogger(Tripwire.class);

  private final Driver nic;
  private final int id;
  private final Notifications notifications;
  private final Queue<Runnable> sleepers = new ConcurrentLinkedQueue<>();
  private final AtomicLong untold = new AtomicLong();
  private volatile TripwireHandler handler;
  private volatile ReceiveContext context;
  public volatile boolean closed;
  /** Whether it has been set on registered memory. */
  public volatile boolean watchesRegions;

  public CamTripwire(Driver nic, int id) {
    this.nic = nic;
    this.id = id;
    notifications = nic.core().cam.notifications();
  }

  @Override
  public int id() {
    return id;
  }

  // The watched range.

  @Override
  public CamTripwire set(LocalAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.LOCAL_READ : Bank.LOCAL_WRITE, NetworkAddress.of(((ExportedAperture) aperture).number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  @Override
  public CamTripwire set(RemoteAperture aperture, Watch watch, long offset, long length, boolean once) {
    check(offset, length, aperture.length());
    return set(watch == Watch.READ ? Bank.REMOTE_READ : Bank.REMOTE_WRITE, NetworkAddress.of(((MappedAperture) aperture).number(), offset), length,
        once, false, Cam.ALL_ACTIONS);
  }

  @Override
  public CamTripwire set(MemoryRegion region, Watch watch, long offset, long length, boolean once) {
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

  private CamTripwire set(Bank bank, long start, long length, boolean once, boolean armed, int actions) {
    checkOpen();
    RequestRing ring = nic.core().requests;
    nic.post(() -> ring.set(nic.core().stream.phase(), id, bank, start, start + length, once, armed, actions));
    return this;
  }

  @Override
  public CamTripwire actions(int actions) {
    nic.control(() -> {
      nic.core().setActions(id, actions);
      return null;
    });
    return this;
  }

  // Arming.

  @Override
  public void arm() {
    checkOpen();
    nic.post(() -> nic.core().requests.arm(nic.core().stream.phase(), id));
  }

  @Override
  public void disarm() {
    checkOpen();
    nic.post(() -> nic.core().requests.disarm(nic.core().stream.phase(), id));
  }

  // Notification.

  @Override
  public boolean isFired() {
    return notifications.bit(id);
  }

  @Override
  public boolean take() {
    return notifications.takeBit(id);
  }

  @Override
  public long counted() {
    return notifications.counter(id);
  }

  @Override
  public CamTripwire onFired(TripwireHandler newHandler, ReceiveContext newContext) {
    if (newContext == ReceiveContext.POLLING) {
      throw new NicException(Status.INVALID, "a handler is called in ISR, TASK_QUEUE or PROCESS context; POLLING is take()");
    }
    context = newHandler == null ? newContext : Check.given("context", newContext);
    handler = newHandler;
    return this;
  }

  @Override
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

  @Override
  public void await(AppThread thread) {
    Runnable wake = thread::unpark;
    sleepers.add(wake);
    while (!take()) {
      thread.park();
    }
    sleepers.remove(wake);
  }

  /** Called by the interrupt's handler after {@code firings} firings. Hardware thread, or the host's interrupt processor. */
  public void fired(long firings) {
    if (closed) {
      return;
    }
    wakeAll();
    post(firings);
    if (handler != null && untold.getAndAdd(firings) == 0) {
      nic.run(context, this::tell);
    }
  }

  public void wakeAll() {
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
