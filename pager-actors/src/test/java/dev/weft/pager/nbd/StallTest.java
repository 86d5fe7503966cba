package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.PauseMeter;
import dev.weft.pager.RamBlockDevice;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stall is noticed after one time-out, though the kernel still takes some bytes long after the client stopped. */
@Timeout(25)
class StallTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDropAClientThatTakesNoRepliesAfterOneStallTimeout(boolean inline) throws Exception {
    try (ExecutorService hardware = Executors.newSingleThreadExecutor();
        RamBlockDevice device = new RamBlockDevice(4 << 20, 20_000, 3, inline ? Runnable::run : hardware);
        NbdServer server = NbdServing.serve("weft.pager.nbd { in-flight-max = 5, stall-timeout = 2 s }", device);
        PauseMeter pauses = new PauseMeter();
        NbdTestClient slow = new NbdTestClient(server.uris().getFirst()).go("", true)) {
      slow.write(0, new byte[400_000]);
      long startNs = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        slow.send(Nbd.CMD_READ, 0, 0, 400_000, null);
      }
      NbdServing.until("the slow client is dropped", () -> server.connectionCount() == 0);
      long ms = (System.nanoTime() - startNs) / 1_000_000;
      long pausedMs = pauses.pausedNs() / 1_000_000;
      assertTrue(ms >= 1_900 && ms - pausedMs < 3_500, "dropped after " + ms + " ms, " + pausedMs + " of them without a processor; the stall time-out is 2 s");
    }
  }
}
