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
  void shouldRefuseToReachTheFileSystemInTwoWays() {
    assertFalse(isOutside());
    assertTrue(isOutside("--tcp", "127.0.0.1:7700"));
    assertTrue(isOutside("--tcp", "127.0.0.1:7700", "--secret-file", "f"));
    assertFalse(isOutside("--fabric", "192.0.2.1", "--secret-file", "f"));
    for (String option : new String[] {"--fabric", "--bind"}) {
      assertTrue(assertThrows(ParameterException.class, () -> isOutside("--tcp", "127.0.0.1:7700", option, "192.0.2.1")).getMessage()
          .endsWith("give only one"));
    }
  }
}
