package dev.weft.tripwire;

import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The accesses that pass the NIC, as the CAM sees them: each is placed between {@link #begin} and {@link #end}, and matched at its end. Accesses run
 * on the hardware thread; {@link #phase} on any thread. {@link RequestRing} explains the phase.
 */
final class PassingStream {
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

  PassingStream(Cam cam, RequestRing requests) {
    this.cam = cam;
    this.requests = requests;
  }

  long phase() {
    return phase;
  }

  /** Data is about to be written, or to be read. */
  void begin() {
    PHASE.setOpaque(this, (long) PHASE.getOpaque(this) + 1);
    VarHandle.storeStoreFence();
  }

  /** The data is in place; returns whether to interrupt. With {@code more}, the same access continues at {@code end}. */
  boolean end(Bank bank, long start, long end, boolean more) {
    long now = (long) PHASE.getOpaque(this) + 1;
    PHASE.setVolatile(this, now);
    VarHandle.fullFence(); // Orders the data and the phase before the look at the requests.
    requests.drain(now);
    return cam.passed(bank, start, end, more);
  }

  /** The data could not be placed. */
  void giveUp() {
    PHASE.setVolatile(this, (long) PHASE.getOpaque(this) + 1);
  }

  /** Handles all requests of applications. */
  void drain() {
    requests.drain((long) PHASE.getOpaque(this) + 1);
  }
}
