package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import java.util.function.BooleanSupplier;

/** The connection's thread lends itself to the hardware of its device. That thread. */
final class DeviceHelp {
  private final BlockDevice device;
  private final long helpNs;
  /** Open while requests are submitted, until the device was helped; null otherwise, and always while the thread sleeps. */
  private BlockDevice.Promise promise;
  /** False once something failed that should not have; the device is then left to its own thread. */
  private boolean helping = true;

  DeviceHelp(BlockDevice device, long helpNs) {
    this.device = device;
    this.helpNs = helpNs;
  }

  /** Whether {@code until} has become true while this thread ran the device. */
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
