package dev.weft.pager.nbd;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.util.List;

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

  static void untilIdle(RamBlockDevice device, NbdServer server) {
    Waits.seen("no connections", server::connectionCount, count -> count == 0);
    Waits.seen("no buffers that are out", device::borrowedCount, count -> count == 0);
  }
}
