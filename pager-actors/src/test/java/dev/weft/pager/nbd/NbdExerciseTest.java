package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class NbdExerciseTest {
  private static final NbdExercise.Parts PARTS = new NbdExercise.Parts(2, 4 << 20, 1 << 20);

  @TempDir private Path directory;

  private NbdServer serve(RamBlockDevice device) throws IOException {
    return NbdServing.serve("weft.pager.nbd.listen = [\"unix:" + directory.resolve("s") + "\"]", device);
  }

  private long exercise(String export, long ms) throws Exception {
    return NbdExercise.run(directory.resolve("s"), export, 2, PARTS, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms));
  }

  @Test
  void shouldSendEveryKindOfRequestAndTouchItsPartsOnly() throws Exception {
    Set<Integer> seen = ConcurrentHashMap.newKeySet();
    try (RamBlockDevice device = new RamBlockDevice(8 << 20)) {
      device.failWith(command -> {
        seen.add(command);
        return Errno.OK;
      });
      try (NbdServer _ = serve(device)) {
        long answered = 0;
        while (seen.size() < 6) {
          answered += exercise("second", 200);
        }
        assertTrue(answered > 0, "requests were answered");
        Waits.seen("no buffers that are out", device::borrowedCount, count -> count == 0);
      }
      assertEquals(Set.of(Nbd.CMD_READ, Nbd.CMD_WRITE, Nbd.CMD_FLUSH, Nbd.CMD_TRIM, Nbd.CMD_WRITE_ZEROES, Nbd.CMD_BLOCK_STATUS), seen);
      for (int part = 0; part < PARTS.count(); part++) {
        long free = part * PARTS.stride() + PARTS.bytes();
        assertEquals(PARTS.bytes() - PARTS.stride(), device.runAt(free, PARTS.stride() - PARTS.bytes()), "a hole behind part " + part);
      }
    }
  }

  @Test
  void shouldTellWhatWentWrong() throws Exception {
    try (RamBlockDevice device = new RamBlockDevice(8 << 20); NbdServer _ = serve(device)) {
      assertTrue(assertThrows(IOException.class, () -> exercise("no such", 10)).getMessage().contains("to option"));
      device.failWith(command -> command == Nbd.CMD_WRITE ? Errno.ENOSPC : Errno.OK);
      assertTrue(assertThrows(IOException.class, () -> exercise("", 20_000)).getMessage().contains("error"));
    }
    assertThrows(IOException.class, () -> exercise("", 10), "nobody listens");
    assertThrows(IllegalArgumentException.class, () -> new NbdExercise.Parts(1, 4096, 8192));
  }
}
