package dev.weft.tripwire.mpi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RingTest {
  @Test
  void shouldKeepRecordsInOnePiece() {
    assertEquals(0, Ring.skip(0, 1024, 1024));
    assertEquals(0, Ring.skip(1000, 1024, 24));
    assertEquals(24, Ring.skip(1000, 1024, 32));
    assertEquals(24, Ring.skip(Integer.MAX_VALUE - 23, 1024, 32), "positions wrap");
  }

  @Test
  void shouldNeverOverwriteWhatIsNotRead() {
    long seed = 7;
    SplittableRandom random = new SplittableRandom(seed);
    int ring = 1024;
    for (int start : new int[] {0, Integer.MAX_VALUE - 4095, -4096}) {
      int written = start;
      int read = start;
      for (int i = 0; i < 10_000; i++) {
        int record = Ring.recordBytes(random.nextInt(200));
        if (Ring.hasRoom(written, read, ring, record)) {
          written += Ring.skip(written, ring, record) + record;
          assertTrue(written - read <= ring, "seed " + seed);
        } else {
          assertTrue(written - read > ring - 2 * 224, "no room though " + (ring - (written - read)) + " are free");
          read = written;
        }
      }
    }
  }

  @Test
  void shouldRefuseWhatIsNoRecord() {
    assertEquals(-1, Ring.bodyBytes(Ring.EAGER, 101, 100));
    assertEquals(-1, Ring.bodyBytes(Ring.EAGER, -1, 100));
    assertEquals(-1, Ring.bodyBytes(0, 0, 100));
    assertEquals(100, Ring.bodyBytes(Ring.EAGER, 100, 100));
    assertFalse(Ring.hasRoom(1024, 0, 1024, Ring.HEAD));
  }
}
