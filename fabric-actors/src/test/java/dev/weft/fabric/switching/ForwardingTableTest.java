package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ForwardingTableTest {
  private final ForwardingTable table = new ForwardingTable();

  @Test
  void shouldAnswerThePortThatWasSetLast() {
    table.set(7, 3);
    table.set(7, 4);
    table.set(ForwardingTable.LID_MAX, 9);
    assertEquals(4, table.portOf(7));
    assertEquals(9, table.portOf(ForwardingTable.LID_MAX));
  }

  @Test
  void shouldAnswerNoRouteForAnyOtherInt() {
    table.set(7, 3);
    table.clear(7);
    for (int lid : new int[] {7, 0, -1, Integer.MIN_VALUE, ForwardingTable.LID_MAX + 1, 0xffff, Integer.MAX_VALUE}) {
      assertEquals(ForwardingTable.NO_ROUTE, table.portOf(lid), "LID " + lid);
    }
  }

  @Test
  void shouldForgetOnlyTheRoutesOfTheClearedPort() {
    table.set(1, 1);
    table.set(2, 2);
    table.set(3, 1);
    table.clearPort(1);
    assertEquals(ForwardingTable.NO_ROUTE, table.portOf(1));
    assertEquals(2, table.portOf(2));
    assertEquals(ForwardingTable.NO_ROUTE, table.portOf(3));
  }

  @Test
  void shouldRefuseRoutesToLidsThatAreNotUnicast() {
    assertThrows(IllegalArgumentException.class, () -> table.set(0, 1));
    assertThrows(IllegalArgumentException.class, () -> table.set(ForwardingTable.LID_MAX + 1, 1));
    assertThrows(IllegalArgumentException.class, () -> table.clear(-1));
  }
}
