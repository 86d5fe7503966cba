package dev.weft.dsm.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DifferencesTest {
  private static final int AT = 64;
  private static final int BYTES = 96;

  private final MemorySegment frame = Arena.ofAuto().allocate(AT + BYTES + AT, 8);
  private final MemorySegment twin = MemorySegment.ofArray(new long[BYTES / 8]);

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 8})
  void shouldFindEachRunOfChangedElements(int elementBytes) {
    Differences.set(frame, AT + 3L * elementBytes, elementBytes, -2);
    Differences.set(frame, AT + 4L * elementBytes, elementBytes, 7);
    Differences.set(frame, AT + BYTES - (long) elementBytes, elementBytes, 1);
    Differences.set(frame, AT - 8, 8, 1); // Of others.
    Differences.set(frame, AT + BYTES, 8, 1);
    int first = Differences.next(frame, AT, twin, 0, BYTES, elementBytes);
    assertEquals(3 * elementBytes, first);
    assertEquals(5 * elementBytes, Differences.end(frame, AT, twin, first, BYTES, BYTES, elementBytes));
    assertEquals(4 * elementBytes, Differences.end(frame, AT, twin, first, elementBytes, BYTES, elementBytes), "no more than there is room for");
    int second = Differences.next(frame, AT, twin, 5 * elementBytes, BYTES, elementBytes);
    assertEquals(BYTES - elementBytes, second);
    assertEquals(BYTES, Differences.end(frame, AT, twin, second, BYTES, BYTES, elementBytes));
    assertEquals(BYTES, Differences.next(frame, AT, twin, BYTES, BYTES, elementBytes));
  }

  @Test
  void shouldFindAnElementOfWhichOneByteHasChanged() {
    frame.set(java.lang.foreign.ValueLayout.JAVA_BYTE, AT + 21, (byte) 1);
    assertEquals(16, Differences.next(frame, AT, twin, 0, BYTES, 8));
    assertEquals(20, Differences.next(frame, AT, twin, 0, BYTES, 4));
    assertEquals(21, Differences.next(frame, AT, twin, 0, BYTES, 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 8})
  void shouldMoveElementsWhole(int elementBytes) {
    Differences.store(twin, 2L * elementBytes, elementBytes, -5);
    assertEquals(-5, Differences.load(twin, 2L * elementBytes, elementBytes));
    assertEquals(0, Differences.load(twin, 3L * elementBytes, elementBytes));
    Differences.set(frame, AT + 8, elementBytes, -6);
    assertEquals(-6, Differences.get(frame, AT + 8, elementBytes));
  }
}
