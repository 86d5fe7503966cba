package dev.weft.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class PatternTest {
  @Test
  void shouldFindTheNumberOfAMessageBehindLostOnes() {
    MemorySegment memory = Arena.ofAuto().allocate(100);
    Pattern.fill(memory, 10, 64, 5_003);
    assertEquals(5_003, Pattern.messageAfter(memory, 10, 64, 5_002));
    assertEquals(5_003, Pattern.messageAfter(memory, 10, 64, 17));
    memory.set(ValueLayout.JAVA_BYTE, 20, (byte) ~memory.get(ValueLayout.JAVA_BYTE, 20));
    assertEquals(17 + 1 + (5_003 - 18 & 0xff), Pattern.messageAfter(memory, 10, 64, 17));
  }

  private final MemorySegment memory = Arena.ofAuto().allocate(256);

  @Test
  void shouldRecogniseWhatItFilledAtAnyLength() {
    for (int length = 1; length <= 70; length++) {
      Pattern.fill(memory, 3, length, 1000 + length);
      assertEquals(-1, Pattern.firstWrong(memory, 3, length, 1000 + length));
      assertEquals((byte) (1000 + length), memory.get(ValueLayout.JAVA_BYTE, 3 + length - 1));
    }
  }

  @Test
  void shouldFindAnySingleWrongByte() {
    for (int length = 1; length <= 40; length++) {
      for (int at = 0; at < length; at++) {
        Pattern.fill(memory, 0, length, 7);
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
        assertEquals(at, Pattern.firstWrong(memory, 0, length, 7), "length " + length);
      }
    }
  }

  @Test
  void shouldTellMessagesApart() {
    Pattern.fill(memory, 0, 64, 7);
    assertNotEquals(-1, Pattern.firstWrong(memory, 0, 64, 7 + 256));
  }
}
