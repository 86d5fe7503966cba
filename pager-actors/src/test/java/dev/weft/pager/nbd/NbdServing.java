package dev.weft.pager.nbd;

import com.typesafe.config.ConfigFactory;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A running server for tests, on a free loopback port. */
final class NbdServing {
  private NbdServing() {}

  static NbdSettings settings(String overrides) {
    return NbdSettings.from(ConfigFactory.parseString(overrides)
        .withFallback(ConfigFactory.parseString("weft.pager.nbd.listen = [\"127.0.0.1:0\"]"))
        .withFallback(ConfigFactory.load()));
  }

  static NbdServer serve(String overrides, BlockDevice device) throws IOException {
    return NbdServer.start(settings(overrides), List.of(
        new NbdExport("", "the default", device, false),
        new NbdExport("second", "", device, false),
        new NbdExport("frozen", "read only", device, true)), System::nanoTime);
  }

  /** Waits at most 10 s. */
  static void until(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not within 10 s: " + what);
      }
      Thread.sleep(5);
    }
  }

  static void untilIdle(RamBlockDevice device, NbdServer server) throws InterruptedException {
    until("connections end", () -> server.connectionCount() == 0);
    until("buffers return, " + device.borrowedCount() + " out", () -> device.borrowedCount() == 0);
  }
}
