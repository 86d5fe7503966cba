package dev.weft.dsm.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectNameTest {
  @ParameterizedTest
  @ValueSource(strings = {"grid", "a lock", "r/w:x=1", "\u00e9", "\u30b0\u30ea\u30c3\u30c9", "\ud83d\ude00",
      "0123456789012345678901234567890123456789012345678901234567890123"})
  void shouldTakeWhatCanBePrinted(String name) {
    assertNull(ObjectName.problemOf(name));
  }

  @Test
  void shouldSayWhichCharacterCannotBePrintedAndWhere() {
    assertEquals("a name with the character U+0000 at index 0, must be printable characters", ObjectName.problemOf("\0"));
    assertEquals("a name with the character U+000A at index 4, must be printable characters", ObjectName.problemOf("grid\n"));
    assertEquals("a name with the character U+001B at index 1, must be printable characters", ObjectName.problemOf("a\u001b[31m"));
    assertEquals("a name with the character U+007F at index 2, must be printable characters", ObjectName.problemOf("\ud83d\ude00\u007f"));
    assertEquals("a name with the character U+0085 at index 1, must be printable characters", ObjectName.problemOf("a\u0085"));
    assertEquals("a name with the character U+2028 at index 1, must be printable characters", ObjectName.problemOf("a\u2028b"));
    assertEquals("a name with the character U+202E at index 0, must be printable characters", ObjectName.problemOf("\u202eabc"));
    assertEquals("a name with the character U+E0001 at index 1, must be printable characters", ObjectName.problemOf("a\udb40\udc01"));
    assertEquals("a name with half of a surrogate pair, which has no UTF-8, at index 1, must be printable characters", ObjectName.problemOf("a\ud800x"));
  }

  @Test
  void shouldSayHowLongANameMayBe() {
    assertEquals("a name of 0 bytes, must be from 1 to 64", ObjectName.problemOf(""));
    assertEquals("a name of 66 bytes, must be from 1 to 64", ObjectName.problemOf("\u00e9".repeat(33)));
    assertEquals("a name of 65 bytes, must be from 1 to 64",
        assertThrows(IllegalArgumentException.class, () -> ObjectName.require("x".repeat(65))).getMessage());
    assertEquals("name", assertThrows(NullPointerException.class, () -> ObjectName.require(null)).getMessage());
  }
}
