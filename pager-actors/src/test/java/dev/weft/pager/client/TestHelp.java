package dev.weft.pager.client;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.pager.BlockDevice;
import java.util.function.BooleanSupplier;

/** Lends waiting test threads to the hardware dispatcher. */
record TestHelp(HardwareDispatcher dispatcher) implements PagerDevice.Helper {
  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    return dispatcher.help(until, maxNs);
  }

  @Override
  public BlockDevice.Promise promiseHelp() {
    return dispatcher.deferWake()::close;
  }
}
