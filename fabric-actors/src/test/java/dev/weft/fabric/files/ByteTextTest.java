package dev.weft.fabric.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ByteTextTest {
  @Test
  void shouldKeepBytesThatAreNotUtf8() {
    byte[] bytes = {'a', (byte) 0xff, (byte) 0xc3, (byte) 0xbc, (byte) 0x80, 0};
    assertEquals("a\udcff\u00fc\udc80\0", ByteText.decode(bytes));
    assertArrayEquals(bytes, ByteText.encode(ByteText.decode(bytes)));
    assertFalse(ByteText.isUtf8("a\udcff"));
    assertTrue(ByteText.isUtf8("\u00fc\ud83d\udc80")); // Its second half looks like a byte.
  }

  @Test
  void shouldShowEveryNameOnOneLineAndNoTwoAlike() {
    assertEquals("\u00fc\ud83d\udc80 \\\\t\\t\\n\\r\\377\\033\\302\\205", ByteText.quoted("\u00fc\ud83d\udc80 \\t\t\n\r\udcff\u001b\u0085"));
    assertEquals("\\t\\t", ByteText.printable("\\t\t"));
  }
}
