package dev.weft.pvfs.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StripingTest {
  @Test
  void shouldGoRoundTheDaemonsFromTheBase() {
    Striping striping = new Striping(2, 3, 100, 4);
    assertEquals(0, striping.slotOf(99));
    assertEquals(1, striping.slotOf(100));
    assertEquals(0, striping.slotOf(300));
    assertEquals(2, striping.daemonOf(0));
    assertEquals(0, striping.daemonOf(2));
    assertEquals(100, striping.localOf(300));
    assertEquals(156, striping.localOf(456));
    assertEquals(44, striping.restOfStripe(456));
  }

  @Test
  void shouldGiveEachByteOneLocalPlaceWithoutGaps() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      int count = 1 + random.nextInt(5);
      Striping striping = new Striping(random.nextInt(count), count, 1 + random.nextInt(7), count);
      long bytes = random.nextInt(100);
      Map<Integer, Long> next = new HashMap<>();
      long reach = 0;
      for (long offset = 0; offset < bytes; offset++) {
        int slot = striping.slotOf(offset);
        assertEquals(next.getOrDefault(slot, 0L), striping.localOf(offset), striping + " at " + offset);
        assertEquals(offset, striping.offsetOf(slot, striping.localOf(offset)));
        next.merge(slot, 1L, (before, one) -> before == 0 ? 1 : before + one);
      }
      for (int slot = 0; slot < count; slot++) {
        long local = next.getOrDefault(slot, 0L);
        assertEquals(local, striping.localBytes(slot, bytes), striping + " of " + bytes);
        reach = Math.max(reach, striping.fileBytes(slot, local));
      }
      assertEquals(bytes, reach);
    }
  }

  @Test
  void shouldReachTheEndOfTheLongestFile() {
    Striping striping = new Striping(0, 3, Striping.STRIPE_BYTES_MAX, 3);
    long last = Striping.FILE_BYTES_MAX - 1;
    assertEquals(last, striping.offsetOf(striping.slotOf(last), striping.localOf(last)));
    assertTrue(striping.localBytes(0, Striping.FILE_BYTES_MAX) > 0);
  }

  @Test
  void shouldSayWhatIsWrongWithAStriping() {
    assertEquals("stripe size is 0, must be from 1 to 1073741824",
        assertThrows(IllegalArgumentException.class, () -> new Striping(0, 1, 0, 1)).getMessage());
    assertEquals("base is 4, must be from 0 to 3", assertThrows(IllegalArgumentException.class, () -> new Striping(4, 1, 1, 4)).getMessage());
    assertEquals("count is 5, must be from 1 to 4", assertThrows(IllegalArgumentException.class, () -> new Striping(0, 5, 1, 4)).getMessage());
  }
}
