package dev.weft.tripwire.device;

import dev.weft.hca.verbs.AccessObserver;
import dev.weft.hca.verbs.Hca;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.driver.DeviceView;

/**
 * Lets the NIC's Tripwires watch memory that is registered with the HCA of the same host. It observes the HCA only while a Tripwire is set on such
 * memory. Hardware thread.
 */
final class RegionWatch implements AccessObserver {
  private final DeviceView core;
  private final Hca hca;
  private int users;

  RegionWatch(DeviceView core, Hca hca) {
    this.core = core;
    this.hca = hca;
  }

  void use() {
    if (users++ == 0) {
      hca.observeAccesses(this);
    }
  }

  void leave() {
    if (--users == 0) {
      hca.observeAccesses(null);
    }
  }

  @Override
  public void before() {
    core.stream.begin();
  }

  @Override
  public void written(long nativeAddress, long length, boolean more) {
    core.interruptIf(core.stream.end(Bank.REGION_WRITE, nativeAddress, nativeAddress + length, more));
  }

  @Override
  public void read(long nativeAddress, long length, boolean more) {
    core.interruptIf(core.stream.end(Bank.REGION_READ, nativeAddress, nativeAddress + length, more));
  }

  @Override
  public void executedAtomic(long nativeAddress, boolean written) {
    boolean fired = core.stream.end(Bank.REGION_READ, nativeAddress, nativeAddress + Long.BYTES, false);
    if (written) {
      fired |= core.cam.passed(Bank.REGION_WRITE, nativeAddress, nativeAddress + Long.BYTES, false);
    }
    core.interruptIf(fired);
  }

  @Override
  public void gaveUp() {
    core.stream.giveUp();
  }
}
