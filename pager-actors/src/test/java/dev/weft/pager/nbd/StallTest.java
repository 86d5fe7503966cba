package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.RamBlockDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stall is noticed after one time-out, though the kernel still takes some bytes long after the client stopped. */
@Tag("slow")
@Timeout(180)
class StallTest {
  /** On a busy machine the sockets fill late, so that several tries are allowed; a server that waited twice would need twice as long in each. */
  private static final int TRIES = 5;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDropAClientThatTakesNoRepliesAfterOneStallTimeout(boolean inline) throws Exception {
    List<Long> took = new ArrayList<>();
    try (ExecutorService hardware = Executors.newSingleThreadExecutor();
        RamBlockDevice device = new RamBlockDevice(4 << 20, 20_000, 3, inline ? Runnable::run : hardware);
        NbdServer server = NbdServing.serve("weft.pager.nbd { in-flight-max = 5, stall-timeout = 2 s }", device)) {
      while (took.isEmpty() || took.getLast() >= 3_500 && took.size() < TRIES) {
        took.add(droppedAfterMs(server));
        assertTrue(took.getLast() >= 1_900, "dropped after " + took + " ms; the stall time-out is 2 s");
      }
    }
    assertTrue(took.getLast() < 3_500, "dropped after " + took + " ms; the stall time-out is 2 s");
  }

  private static long droppedAfterMs(NbdServer server) throws Exception {
    try (NbdTestClient slow = new NbdTestClient(server.uris().getFirst()).go("", true)) {
      slow.write(0, new byte[400_000]);
      long startNs = System.nanoTime();
      for (int i = 0; i < 100; i++) {
        slow.send(Nbd.CMD_READ, 0, 0, 400_000, null);
      }
      Waits.seen("the slow client to be dropped", server::connectionCount, count -> count == 0);
      return (System.nanoTime() - startNs) / 1_000_000;
    }
  }
}
