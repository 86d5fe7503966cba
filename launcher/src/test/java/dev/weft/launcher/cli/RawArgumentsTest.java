package dev.weft.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RawArgumentsTest {
  private static byte[] commandLine(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void shouldTellApartWhatTheJvmHasNotDecoded() {
    String[] args = {"rm", "/\ufffd\ufffd", "", "/\ufffd"};
    String[] raw = RawArguments.of(args, commandLine("java\0-cp\0x\0Main\0rm\0/\u00c3\u00bc\0\0/\u00ff\0"));
    assertArrayEquals(new String[] {"rm", "/\u00fc", "", "/\udcff"}, raw);
  }

  @Test
  void shouldBelieveTheJvmWhereItHasReadAFileOfArguments() {
    String[] args = {"rm", "/a"};
    assertArrayEquals(args, RawArguments.of(args, commandLine("java\0@arguments\0")));
    assertArrayEquals(args, RawArguments.of(args, commandLine("java\0")));
  }
}
