package dev.weft.fabric.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class LinkProfileTest {
  private static final LinkProfile BYTE_A_NANOSECOND = new LinkProfile(500, 8_000_000_000L);

  @Test
  void shouldCountTheLatencyFromTheLastBitOrFromTheEndOfTheHead() {
    assertEquals(500, BYTE_A_NANOSECOND.arrivalNs(1000));
    assertEquals(500 - 24, BYTE_A_NANOSECOND.withHead(24).arrivalNs(1000));
    assertEquals(500 - 20, BYTE_A_NANOSECOND.withHead(24).arrivalNs(20));
    assertEquals(500 - 1000, BYTE_A_NANOSECOND.withHead(LinkProfile.WHOLE).arrivalNs(1000), "when it begins to be sent");
    assertEquals(500, new LinkProfile(500, 0, 24).arrivalNs(1000), "without a limit of bandwidth nothing is saved");
    assertThrows(IllegalArgumentException.class, () -> BYTE_A_NANOSECOND.withHead(-1));
  }
}
