package dev.weft.tripwire.cam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CamTest {
  private final Cam cam = new Cam(8, 2);

  private int wire(Bank bank, long start, long end, boolean once) {
    int id = cam.allocate();
    cam.set(id, bank, start, end, once, Cam.ALL_ACTIONS);
    assertTrue(cam.arm(id));
    return id;
  }

  private List<Integer> fired() {
    List<Integer> ids = new ArrayList<>();
    for (int id = cam.fifo().poll(); id != EventFifo.NONE; id = cam.fifo().poll()) {
      ids.add(id);
    }
    for (int id = cam.fifo().pollMissed(); id != EventFifo.NONE; id = cam.fifo().pollMissed()) {
      for (int left = cam.fifo().takeMissed(); left > 0; left--) {
        ids.add(id);
      }
    }
    return ids;
  }

  @Test
  void shouldGiveThreeEventsForOneWriteOverThreeRanges() {
    wire(Bank.LOCAL_WRITE, 0, 4, false);
    wire(Bank.LOCAL_WRITE, 4, 8, false);
    wire(Bank.LOCAL_WRITE, 2, 6, false);
    wire(Bank.LOCAL_WRITE, 8, 12, false);
    wire(Bank.LOCAL_READ, 0, 8, false);
    assertTrue(cam.passed(Bank.LOCAL_WRITE, 0, 8, false));
    assertEquals(List.of(0, 1, 2), fired());
    assertEquals(1, cam.fifo().overflows());
  }

  @Test
  void shouldFireOnceUntilItIsArmedAgain() {
    int id = wire(Bank.LOCAL_WRITE, 0, 4, true);
    assertTrue(cam.passed(Bank.LOCAL_WRITE, 3, 100, false));
    assertFalse(cam.passed(Bank.LOCAL_WRITE, 3, 100, false));
    assertFalse(cam.watches(Bank.LOCAL_WRITE));
    cam.arm(id);
    assertTrue(cam.passed(Bank.LOCAL_WRITE, 3, 100, false));
    assertEquals(List.of(id, id), fired());
    assertEquals(2, cam.notifications().counter(id));
    assertTrue(cam.notifications().takeBit(id));
    assertFalse(cam.notifications().takeBit(id));
  }

  @Test
  void shouldWaitForTheRestOfAWriteThatGoesOn() {
    int whole = wire(Bank.LOCAL_WRITE, 0, 100, false);
    int head = wire(Bank.LOCAL_WRITE, 0, 64, false);
    cam.passed(Bank.LOCAL_WRITE, 0, 64, true);
    assertEquals(List.of(head), fired());
    cam.passed(Bank.LOCAL_WRITE, 64, 80, false);
    assertEquals(List.of(whole), fired());
  }

  @Test
  void shouldCountWhatFindsNoRoomInTheFifo() {
    int first = wire(Bank.LOCAL_WRITE, 0, 8, false);
    int second = wire(Bank.LOCAL_WRITE, 4, 12, false);
    for (int i = 0; i < 5; i++) {
      cam.passed(Bank.LOCAL_WRITE, 0, 8, false);
    }
    assertEquals(List.of(first, second, first, first, first, first, second, second, second, second), fired());
    assertTrue(cam.fifo().isEmpty());
    cam.passed(Bank.LOCAL_WRITE, 0, 4, false);
    assertEquals(List.of(first), fired());
  }

  @Test
  void shouldDoOnlyWhatItsActionsSay() {
    int id = wire(Bank.LOCAL_READ, 0, 4, false);
    cam.setActions(id, Cam.COUNTER);
    assertFalse(cam.passed(Bank.LOCAL_READ, 0, 1, false));
    assertEquals(1, cam.notifications().counter(id));
    assertFalse(cam.notifications().bit(id));
    assertTrue(cam.fifo().isEmpty());
  }

  @Test
  void shouldReuseWhatWasFreedAndForgetWhatItTold() {
    int id = wire(Bank.LOCAL_READ, 0, 4, false);
    cam.passed(Bank.LOCAL_READ, 0, 1, false);
    cam.free(id);
    assertFalse(cam.passed(Bank.LOCAL_READ, 0, 1, false));
    assertThrows(IllegalArgumentException.class, () -> cam.free(id));
    assertEquals(id, cam.allocate());
    assertEquals(0, cam.notifications().counter(id));
    assertFalse(cam.notifications().bit(id));
    assertFalse(cam.arm(id), "watches nothing");
    for (int i = 1; i < 8; i++) {
      assertEquals(i, cam.allocate());
    }
    assertEquals(-1, cam.allocate());
  }
}
