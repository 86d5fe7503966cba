package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class BusyObjectsTest {
  @Test
  void shouldCountWhatIsMovedOfEachObject() {
    BusyObjects busy = new BusyObjects();
    busy.count(7, 100);
    busy.count(8, 10);
    busy.count(7, 50);
    assertEquals(new DaemonSnapshot.Busy(7, 2, 150), busy.first(16).getFirst());
    assertEquals(2, busy.first(16).size());
    assertEquals(1, busy.first(1).size());
  }

  @Test
  void shouldKeepThoseThatAreAskedForAgainAmongManyThatAreNot() {
    BusyObjects busy = new BusyObjects();
    for (int i = 0; i < 10_000; i++) {
      busy.count(1_000 + i, 1);
      busy.count(1 + i % 4, 1);
    }
    assertEquals(10, busy.first(10).size());
    assertEquals(BusyObjects.PLACES, busy.first(1_000).size());
    for (int object = 1; object <= 4; object++) {
      long wanted = object;
      assertEquals(1, busy.first(4).stream().filter(one -> one.object() == wanted).count(), "object " + object + " is among the first: " + busy.first(4));
    }
  }
}
