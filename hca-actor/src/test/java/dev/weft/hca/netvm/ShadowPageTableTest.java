package dev.weft.hca.netvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ShadowPageTableTest {
  private final ShadowPageTable table = new ShadowPageTable(4);

  @Test
  void shouldTellDeniedAbsentAndPresentApart() {
    assertEquals(ShadowPageTable.DENIED, table.lock(1, false));
    table.allow(1);
    assertEquals(ShadowPageTable.ABSENT, table.lock(1, false));
    table.map(1, 77, false);
    assertEquals(77, table.lock(1, false));
    assertEquals(1, table.locks(1));
  }

  @Test
  void shouldNotTakeTheFrameOfALockedPage() {
    table.allow(0);
    table.map(0, 3, false);
    table.lock(0, true);
    table.lock(0, false);
    assertEquals(ShadowPageTable.Unmapped.LOCKED, table.unmap(0));
    assertFalse(table.unlock(0));
    assertTrue(table.unlock(0), "the host waits");
    assertEquals(ShadowPageTable.Unmapped.DIRTY, table.unmap(0));
    assertEquals(ShadowPageTable.ABSENT, table.lock(0, false));
  }

  @Test
  void shouldDenyAtOnceThoughTheFrameIsInUse() {
    table.allow(2);
    table.map(2, 5, false);
    table.lock(2, false);
    int generation = table.generation(2);
    assertFalse(table.deny(2));
    assertEquals(ShadowPageTable.DENIED, table.lock(2, false));
    assertTrue(table.unlock(2));
    table.clear(2);
    table.allow(2);
    assertTrue(table.generation(2) != generation, "a later mapping is another one");
  }

  @Test
  void shouldRememberReferencesOnce() {
    table.allow(3);
    table.map(3, 1, false);
    assertTrue(table.takeReference(3));
    assertFalse(table.takeReference(3));
    table.lock(3, false);
    table.unlock(3);
    assertTrue(table.takeReference(3));
    assertEquals(ShadowPageTable.Unmapped.CLEAN, table.unmap(3));
  }

  @Test
  void shouldRefuseToUnlockWhatIsNotLocked() {
    assertThrows(IllegalStateException.class, () -> table.unlock(0));
  }
}
