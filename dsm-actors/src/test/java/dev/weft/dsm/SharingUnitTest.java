package dev.weft.dsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class SharingUnitTest {
  private static String refusal(Executable maker) {
    return assertThrows(IllegalArgumentException.class, maker).getMessage();
  }

  @Test
  void shouldSpeakOfWhatWasCounted() {
    assertEquals("a minipage of 0 pages, must have 1 or more", refusal(() -> SharingUnit.pages(0)));
    assertEquals("a minipage of -3 pages, must have 1 or more", refusal(() -> SharingUnit.pages(-3)));
    assertEquals("a minipage of 0 bytes, must have 1 or more", refusal(() -> SharingUnit.bytes(0)));
    assertEquals("a minipage of -1 elements, must have 1 or more", refusal(() -> SharingUnit.elements(-1)));
    assertEquals("a minipage of 2305843009213693952 elements, must have at most 4611686018427387904 bytes",
        refusal(() -> SharingUnit.elements(1L << 61).strideBytes(1, 8)));
    assertEquals("a minipage of 5 whole arrays, must have 1", refusal(() -> new SharingUnit(SharingUnit.Kind.WHOLE, 5)));
  }

  @Test
  void shouldNeedAKind() {
    assertEquals("kind of a sharing unit, must be BYTES, ELEMENTS or WHOLE",
        assertThrows(NullPointerException.class, () -> new SharingUnit(null, 5)).getMessage());
  }

  @Test
  void shouldBeSoManyPages() {
    assertEquals(3 * SharingUnit.PAGE_BYTES, SharingUnit.pages(3).strideBytes(1, 8));
    assertEquals(8L * SharingUnit.PAGE_BYTES * (Integer.MAX_VALUE / 8), SharingUnit.pages(Integer.MAX_VALUE / 8 * 8).strideBytes(1, 8));
  }
}
