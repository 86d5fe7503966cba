package dev.weft.pager.nbd;

import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.pager.RamBlockDevice;
import java.util.Arrays;
import java.util.List;

/** Serves a device in local memory, to measure the front end alone: {@code RamNbdMain SIZE_BYTES ADDRESS...}. */
final class RamNbdMain {
  private RamNbdMain() {}

  public static void main(String[] args) throws Exception {
    var config = ConfigFactory.load().withValue("weft.pager.nbd.listen",
        ConfigValueFactory.fromIterable(Arrays.asList(args).subList(1, args.length)));
    RamBlockDevice device = new RamBlockDevice(Long.parseLong(args[0]));
    try (NbdServer server = NbdServer.start(NbdSettings.from(config), List.of(new NbdExport("", "memory", device, false)), System::nanoTime)) {
      System.out.println("serving " + server.uris());
      Thread.currentThread().join();
    }
  }
}
