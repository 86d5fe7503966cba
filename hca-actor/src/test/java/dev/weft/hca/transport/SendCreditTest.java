package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.packet.Aeth;
import org.junit.jupiter.api.Test;

class SendCreditTest {
  private final SendCredit credit = new SendCredit();

  @Test
  void shouldCodeCountsAsTheSpecificationDoes() {
    int[] counts = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    for (int code = 0; code < counts.length; code++) {
      assertEquals(counts[code], SendCredit.packets(code));
      assertEquals(code, SendCredit.code(counts[code]));
    }
    assertEquals(32_768, SendCredit.packets(30));
    assertEquals(30, SendCredit.code(Integer.MAX_VALUE));
    assertEquals(4, SendCredit.code(5), "rounded down, never up");
    assertEquals(0, SendCredit.code(-1));
  }

  @Test
  void shouldLimitNobodyWhosePeerGivesNoCredit() {
    assertTrue(credit.allows(0xffffff));
    credit.onAck(7, SendCredit.code(2));
    assertTrue(credit.allows(9));
    assertFalse(credit.allows(10));
    credit.onAck(8, Aeth.CREDIT_INVALID);
    assertTrue(credit.allows(1000));
  }

  @Test
  void shouldOnlyGrowUnlessTheRestWasRefused() {
    credit.onAck(0xfffffe, 8);
    assertTrue(credit.allows(14), "PSNs wrap");
    credit.onAck(0xffffff, 1);
    assertTrue(credit.allows(14), "an earlier credit still holds");
    credit.onAck(3, 0);
    assertFalse(credit.allows(4));
    credit.probe(4);
    assertTrue(credit.allows(4));
    assertFalse(credit.allows(5));
  }
}
