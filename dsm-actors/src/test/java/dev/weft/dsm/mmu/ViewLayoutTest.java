package dev.weft.dsm.mmu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ViewLayoutTest {
  @Test
  void shouldLetElementsFollowEachOtherWhenMinipagesAreOfWholePages() {
    ViewLayout layout = new ViewLayout(5 * 8192 + 8, 8192, 4096);
    for (long at = 0; at < layout.bytes(); at += 8) {
      assertEquals(at, layout.offsetOf(at));
    }
    assertEquals(6, layout.minipages());
    assertEquals(8, layout.contentBytes(5));
    assertEquals(4096, layout.pagesBytes(5));
    assertEquals(6 * 8192, layout.viewBytes());
  }

  @Test
  void shouldGiveEachMinipagePagesOfItsOwnWhenTheyAreSmallOrOdd() {
    for (long stride : new long[] {8, 128, 4088, 4104, 12296}) {
      ViewLayout layout = new ViewLayout(40_000, stride, 4096);
      Map<Long, Long> owners = new HashMap<>();
      for (long at = 0; at < layout.bytes(); at += 8) {
        long page = layout.offsetOf(at) / 4096;
        long minipage = at / stride;
        assertEquals(minipage, owners.computeIfAbsent(page, unknown -> minipage), "page " + page + ", stride " + stride);
        assertEquals(minipage, layout.offsetOf(at) / layout.viewStrideBytes());
        assertEquals(at % stride, layout.offsetOf(at) - layout.startOf((int) minipage));
      }
    }
  }
}
