package dev.weft.lab.seed001;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SlotMapTest {
  @Test
  void shouldGiveNeighboursToPagesThatLeaveTogether() {
    SlotMap map = new SlotMap(64, 16);
    for (int page = 0; page < 20; page++) {
      assertEquals(page, map.allocate(100 + page));
    }
    assertEquals(105, map.owner(5));
    assertEquals(20, map.used());
  }

  @Test
  void shouldPreferAFreeClusterToHoles() {
    SlotMap map = new SlotMap(48, 16);
    for (int page = 0; page < 16; page++) {
      map.allocate(page);
    }
    map.release(3);
    assertEquals(16, map.allocate(50));
    for (int i = 0; i < 31; i++) {
      map.allocate(60 + i);
    }
    assertEquals(3, map.allocate(99), "the hole, when no cluster is free any more");
    assertThrows(IllegalStateException.class, () -> map.allocate(100));
  }

  @Test
  void shouldKnowWhenItIsHalfFull() {
    SlotMap map = new SlotMap(4, 2);
    map.allocate(0);
    map.allocate(1);
    assertFalse(map.isHalfFull());
    map.allocate(2);
    assertTrue(map.isHalfFull());
    map.release(0);
    assertFalse(map.isHalfFull());
    assertThrows(IllegalStateException.class, () -> map.release(0));
  }
}
