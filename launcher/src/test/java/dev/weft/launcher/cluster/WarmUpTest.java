package dev.weft.launcher.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.launcher.CommandFailure;
import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WarmUpTest {
  private static final long AREA_BYTES = 8 << 20;
  private static final int SERVERS = 3;
  private static final int TRIM = 4;

  @TempDir private Path directory;

  private void run(RamBlockDevice device, Path states) throws Exception {
    WarmUp.run(device, SERVERS, AREA_BYTES, ConfigFactory.load(), StateDirectory.open(states), Duration.ofMillis(300));
  }

  @Test
  void shouldLeaveADeviceOfHolesAndNoSocket() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (RamBlockDevice device = new RamBlockDevice(SERVERS * AREA_BYTES)) {
      device.failWith(command -> {
        requests.incrementAndGet();
        return Errno.OK;
      });
      run(device, directory.resolve("state"));
      assertTrue(requests.get() > SERVERS, "it did something");
      assertEquals(-SERVERS * AREA_BYTES, device.runAt(0, SERVERS * AREA_BYTES), "one hole");
      assertEquals(0, device.borrowedCount());
    }
    try (Stream<Path> files = Files.list(directory.resolve("state"))) {
      assertEquals(List.of(), files.toList());
    }
  }

  @Test
  void shouldStartWithoutWhereItIsNotPossible() throws Exception {
    try (RamBlockDevice device = new RamBlockDevice(SERVERS * AREA_BYTES)) {
      run(device, directory.resolve("a-name-that-is-too-long-for-a-socket".repeat(4)));
      assertEquals(-SERVERS * AREA_BYTES, device.runAt(0, SERVERS * AREA_BYTES), "one hole");
      device.failWith(command -> command == TRIM ? Errno.EIO : Errno.OK);
      assertThrows(CommandFailure.class, () -> run(device, directory.resolve("state")), "noise must not stay");
    }
  }
}
