package dev.weft.launcher.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.service.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PagerOptionsTest {
  @Test
  void shouldRefuseResidentMemoryOfServersThatPinAll() {
    for (String[] line : new String[][] {{"up", "--resident", "64M"}, {"join", "127.0.0.1:9", "--resident=64M", "--registration=static"}}) {
      CommandRun run = CommandRun.of(line);
      assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
      assertTrue(run.err().contains("--resident has no effect on pinned memory, all of which is in memory; add --registration unpinned"), run.err());
    }
  }
}
