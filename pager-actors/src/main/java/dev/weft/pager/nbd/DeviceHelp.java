package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import java.util.function.BooleanSupplier;

/** Lets the connection's thread run the hardware actors of its device. Used by that thread only. */
final class DeviceHelp {
  private final BlockDevice device;
  private final long helpNs;
  /** The promise, open from the submission of requests until the device was helped; otherwise null, and always null while the thread sleeps. */
  private BlockDevice.Promise promise;
  /** False after an unexpected failure; then the device's own thread does all its work. */
  private boolean helping = true;

  DeviceHelp(BlockDevice device, long helpNs) {
    this.device = device;
    this.helpNs = helpNs;
  }

  /** Runs the device; returns whether {@code until} has become true. */
  boolean help(BooleanSupplier until) {
    return helping && device.help(until, helpNs);
  }

  void promise() {
    if (promise == null && helpNs > 0) {
      promise = device.promiseHelp();
    }
  }

  void keepPromise() {
    BlockDevice.Promise open = promise;
    if (open != null) {
      promise = null;
      open.close();
    }
  }

  void leaveToItsOwnThread() {
    helping = false;
  }
}
