package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DaemonOp;

/** Gives a client of the daemons its capabilities. Any thread. */
public interface CapabilitySource {
  /** Gives none: for daemons that require none. */
  CapabilitySource NONE = new CapabilitySource() {
    @Override
    public byte[] of(long object, DaemonOp op) {
      return null;
    }

    @Override
    public boolean renew(long object, Runnable then) {
      return false;
    }
  };

  /** Returns the capability for a request, as {@link dev.weft.pvfs.wire.CapabilityKey} writes it; null if there is none for the object. */
  byte[] of(long object, DaemonOp op);

  /**
   * Asks for another capability, because a daemon has refused the one from {@link #of}.
   *
   * @param then called when there is one or when none can be had; any thread, must not block
   * @return false if it cannot ask
   */
  boolean renew(long object, Runnable then);
}
