package dev.weft.lab.sim.pager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

class SectorHistoryTest {
  private final SectorHistory history = new SectorHistory();

  private SectorHistory.Access access(boolean isWrite, long value, long begin, long end) {
    SectorHistory.Access access = new SectorHistory.Access(begin, isWrite, value, begin);
    access.end = end;
    history.add(access);
    return access;
  }

  private SectorHistory.Access write(long value, long begin, long end) {
    return access(true, value, begin, end);
  }

  private SectorHistory.Access read(long value, long begin, long end) {
    return access(false, value, begin, end);
  }

  @Test
  void shouldAcceptEitherOrderOfWritesThatOverlap() {
    write(1, 0, 10);
    write(2, 1, 11);
    read(1, 12, 13);
    assertNull(history.check());
  }

  @Test
  void shouldRefuseASecondOrderAfterOneWasSeen() {
    write(1, 0, 10);
    write(2, 1, 11);
    read(1, 12, 13);
    assertSame(read(2, 14, 15), history.check());
  }

  @Test
  void shouldRefuseAnOldValue() {
    write(1, 0, 1);
    write(2, 2, 3);
    assertSame(read(1, 4, 5), history.check());
  }

  @Test
  void shouldAcceptBothValuesWhileAWriteIsUnderWay() {
    write(1, 0, 1);
    write(2, 2, 20);
    read(1, 3, 4);
    read(2, 5, 6);
    assertNull(history.check());
  }

  @Test
  void shouldRefuseTheOldValueAfterTheNewOneWasRead() {
    write(1, 0, 1);
    write(2, 2, 20);
    read(2, 3, 4);
    assertSame(read(1, 5, 6), history.check());
  }

  @Test
  void shouldLetAFailedWriteNotHaveHappened() {
    write(1, 0, 1);
    write(2, 2, 3).mayBeVoid = true;
    read(1, 4, 5);
    assertNull(history.check());
  }

  @Test
  void shouldLetAFailedWriteHaveHappened() {
    write(2, 0, 1).mayBeVoid = true;
    read(2, 2, 3);
    assertNull(history.check());
  }

  @Test
  void shouldNotLetAFailedWriteHappenAfterItFailed() {
    write(2, 2, 3).mayBeVoid = true;
    read(0, 4, 5);
    assertSame(read(2, 6, 7), history.check());
  }

  @Test
  void shouldTakeZerosForWhatWasThereBefore() {
    read(0, 0, 1);
    write(1, 2, 3);
    assertSame(read(0, 4, 5), history.check());
    assertEquals("[1]", history.possibleValues());
  }
}
