package dev.weft.lab.seed004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.CommandRun;
import dev.weft.service.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(240)
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

  @ParameterizedTest
  @CsvSource({"faults,add --jvms 2", "locks --json,--json has no effect in virtual time; add --jvms 2",
      "locks -n 200,--iterations has no effect in virtual time", "locks --rate 5,--rate has no effect on locks",
      "latency --jvms 2 --rate 2000,--rate has no effect on latency", "bandwidth --jvms 2 -n 200,--iterations has no effect on bandwidth",
      "locks --jvms 2 --profile lanai9,--profile has no effect on this machine", "locks --jvms 2 --seed 1,--seed has no effect on locks",
      "pinning --seed 2,--seed has no effect on pinning", "locks --jvms 3,must be 1 or 2", "locks --jvms 2 -n 1,must be from 100"})
  void shouldSayWhatIsWrong(String what, String expected) {
    CommandRun run = CommandRun.of(("netvm " + what).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains(expected), run.err());
  }
}
