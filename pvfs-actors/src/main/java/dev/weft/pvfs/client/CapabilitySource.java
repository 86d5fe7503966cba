package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DaemonOp;

/** Where a client of the daemons has its capabilities from. Any thread. */
public interface CapabilitySource {
  /** None: for daemons that ask for none. */
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

  /** What a request shows, as {@link dev.weft.pvfs.wire.CapabilityKey} writes it; null if there is none for the object. */
  byte[] of(long object, DaemonOp op);

  /**
   * A daemon has refused what {@link #of} gave: asks for another one.
   *
   * @param then called when there is one, or none can be had; any thread, must not block
   * @return false if none can be asked for
   */
  boolean renew(long object, Runnable then);
}
