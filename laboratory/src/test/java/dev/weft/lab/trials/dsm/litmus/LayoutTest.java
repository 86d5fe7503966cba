package dev.weft.lab.trials.dsm.litmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharingUnit;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutTest {
  @Test
  void shouldPlaceWordsAsItSays() {
    for (Placement placement : Placement.values()) {
      for (int words : new int[] {1, 2, 3, 5, 8, 9, 34, 64}) {
        for (int instances : new int[] {1, 7, 64, 100}) {
          check(placement.layout(words, instances));
        }
      }
    }
  }

  private static void check(Layout layout) {
    long minipage = layout.unit().strideBytes(layout.length(), 8);
    Set<Long> used = new HashSet<>();
    for (int instance = 0; instance < layout.instances(); instance++) {
      Set<Long> minipages = new HashSet<>();
      Set<Long> pages = new HashSet<>();
      for (int word = 0; word < layout.words(); word++) {
        long at = layout.index(instance, word) * 8;
        assertTrue(at >= 0 && at < layout.length() * 8 && used.add(at), layout + " places word " + word + " of " + instance + " at " + at);
        minipages.add(at / minipage);
        pages.add(at / SharingUnit.PAGE_BYTES);
      }
      assertEquals(layout.placement() == Placement.ONE_MINIPAGE ? 1 : layout.words(), minipages.size(), layout.toString());
      switch (layout.placement()) {
        case ONE_MINIPAGE -> { }
        case ONE_PAGE -> assertEquals(1, pages.size(), layout.toString());
        case SEVERAL_PAGES -> assertEquals(layout.words(), pages.size(), layout.toString());
      }
    }
  }

  @Test
  void shouldRefuseWhatIsTooMuch() {
    assertThrows(IllegalArgumentException.class, () -> Placement.ONE_PAGE.layout(65, 1));
    assertThrows(IllegalArgumentException.class, () -> Placement.ONE_PAGE.layout(0, 1));
    assertThrows(IllegalArgumentException.class, () -> Placement.ONE_PAGE.layout(1, 0));
    assertThrows(IllegalArgumentException.class, () -> Placement.ONE_PAGE.layout(1, Layout.INSTANCES_MAX + 1));
  }
}
