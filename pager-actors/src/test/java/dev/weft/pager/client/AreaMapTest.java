package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class AreaMapTest {
  @Test
  void shouldFindTheServerAtEveryBorder() {
    AreaMap map = new AreaMap(new long[] {10, 1, 100});
    assertEquals(111, map.sizeBytes());
    assertEquals(0, map.serverAt(9));
    assertEquals(1, map.serverAt(10));
    assertEquals(2, map.serverAt(11));
    assertEquals(2, map.serverAt(110));
    assertThrows(IndexOutOfBoundsException.class, () -> map.serverAt(111));
    assertEquals(11, map.end(1));
  }

  @Test
  void shouldDivideADeviceIntoWholeBlocks() {
    for (int servers = 1; servers <= AreaMap.SERVERS_MAX; servers++) {
      AreaMap map = AreaMap.even(1_000_000, servers, 4096);
      assertEquals(1_000_000, map.sizeBytes());
      for (int i = 0; i < servers; i++) {
        assertEquals(0, map.start(i) % 4096);
        assertTrue(map.areaBytes(i) > 0);
        assertEquals(i, map.serverAt(map.start(i)));
        assertEquals(i, map.serverAt(map.end(i) - 1));
      }
    }
  }

  @Test
  void shouldRefuseTooManyServersAndEmptyAreas() {
    assertThrows(IllegalArgumentException.class, () -> new AreaMap(new long[17]));
    assertThrows(IllegalArgumentException.class, () -> new AreaMap(new long[0]));
    assertThrows(IllegalArgumentException.class, () -> new AreaMap(new long[] {5, 0}));
    assertThrows(IllegalArgumentException.class, () -> AreaMap.even(4096, 2, 4096));
  }
}
