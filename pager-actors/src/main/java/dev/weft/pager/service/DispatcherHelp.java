package dev.weft.pager.service;

import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.client.PagerDevice;
import java.util.function.BooleanSupplier;

/** Lets threads that wait for the block device run the hardware actors of this JVM (docs/internals/decisions/0002). */
record DispatcherHelp(HardwareDispatcher dispatcher) implements PagerDevice.Helper {
  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    return dispatcher.help(until, maxNs);
  }

  @Override
  public BlockDevice.Promise promiseHelp() {
    HardwareDispatcher.DeferredWake scope = dispatcher.deferWake();
    return scope::close;
  }
}
