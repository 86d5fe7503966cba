package dev.weft.launcher.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.service.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that services add to {@code weft up} and {@code weft join}. */
@Tag("jvms")
@Timeout(180)
class UpOptionsTest {
  @Test
  void shouldRefuseResidentMemoryOfServersThatPinAll() {
    for (String[] line : new String[][] {{"up", "--resident", "64M"}, {"join", "127.0.0.1:9", "--resident=64M", "--registration=static"}}) {
      CommandRun run = CommandRun.of(line);
      assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
      assertTrue(run.err().contains("--resident has no effect on pinned memory, all of which is in memory; add --registration unpinned"), run.err());
    }
  }

  @Test
  void shouldSayInOneLineThatTheMachineHasNotSoMuchMemory() {
    CommandRun run = CommandRun.of("up", "--jvms=2", "--servers=1", "--memory=100000g");
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().startsWith("weft: the memory servers would take 102400000 MiB"), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "--registration=loose | --registration is loose, must be static or unpinned",
      "--notification=horn | --notification is horn, must be events or tripwire",
      "--dsm=my_space | --dsm is 'my_space', must be 1 to 32 letters, digits and dashes",
      "--dsm-memory=1M | --dsm-memory has no effect without --dsm NAME",
      "--servers=0 | --servers is 0, must be from 1 to 16",
      "--memory=5000 | --memory is 5000, must be a multiple of 4096 and at least 1M"})
  void shouldNameTheOptionThatCannotBe(String option, String reason) {
    CommandRun run = CommandRun.of("up", option);
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(reason), run.err());
  }
}
