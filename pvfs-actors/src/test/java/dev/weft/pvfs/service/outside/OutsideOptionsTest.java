package dev.weft.pvfs.service.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

class OutsideOptionsTest {
  @Command(name = "ls")
  private static final class Words {
    @Mixin private OutsideOptions outside = new OutsideOptions();
  }

  private static boolean isOutside(String... words) {
    Words parsed = new Words();
    CommandLine line = new CommandLine(parsed);
    line.parseArgs(words);
    return parsed.outside.isOutside(line.getCommandSpec());
  }

  @Test
  void shouldRefuseASecretThatNobodyAsksFor() {
    assertFalse(isOutside());
    assertTrue(isOutside("--tcp", "127.0.0.1:7700"));
    assertTrue(isOutside("--tcp", "127.0.0.1:7700", "--secret-file", "f"));
    assertEquals("--secret-file is for --tcp HOST:PORT, which is missing",
        assertThrows(ParameterException.class, () -> isOutside("--secret-file", "f")).getMessage());
  }
}
