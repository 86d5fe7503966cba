package dev.weft.launcher.netvm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.launcher.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class NetVmCommandTest {
  @ParameterizedTest
  @CsvSource({"latency,blocking wait", "bandwidth,MB/s", "pinning,dynamic pinning costs less", "locks,hand-over"})
  void shouldPrintWhatIsAskedForTheSameEachTime(String what, String expected) {
    CommandRun run = CommandRun.of("netvm", what);
    System.out.println(run.out());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains(expected), run.out());
    assertEquals(run.out(), CommandRun.of("netvm", what).out());
  }

  @Test
  void shouldRefuseAProfileThatThereIsNot() {
    CommandRun run = CommandRun.of("netvm", "locks", "--profile", "abacus");
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("abacus"), run.err());
  }
}
