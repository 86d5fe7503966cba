package dev.weft.tripwire.cam;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The accesses that pass the NIC, as the CAM sees them: each is placed between {@link #begin} and {@link #end}, and matched at its end. Accesses run
 * on the hardware thread; {@link #phase} on any thread. {@link RequestRing} explains the phase.
 */
public final class PassingStream {
  private static final VarHandle PHASE;

  static {
    try {
      PHASE = MethodHandles.lookup().findVarHandle(PassingStream.class, "phase", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Cam cam;
  private final RequestRing requests;
  private volatile long phase;

  public PassingStream(Cam cam, RequestRing requests) {
    this.cam = cam;
    this.requests = requests;
  }

  public long phase() {
    return phase;
  }

  /** Data is about to be written, or to be read. */
  public void begin() {
    PHASE.setOpaque(this, (long) PHASE.getOpaque(this) + 1);
    VarHandle.storeStoreFence();
  }

  /** The data is in place; returns whether to interrupt. With {@code more}, the same access continues at {@code end}. */
  public boolean end(Bank bank, long start, long end, boolean more) {
    long now = (long) PHASE.getOpaque(this) + 1;
    PHASE.setVolatile(this, now);
    VarHandle.fullFence(); // Orders the data and the phase before the look at the requests.
    requests.drain(now);
    return cam.passed(bank, start, end, more);
  }

  /** The data could not be placed. */
  public void giveUp() {
    PHASE.setVolatile(this, (long) PHASE.getOpaque(this) + 1);
  }

  /** Handles all requests of applications. */
  public void drain() {
    requests.drain((long) PHASE.getOpaque(this) + 1);
  }
}
