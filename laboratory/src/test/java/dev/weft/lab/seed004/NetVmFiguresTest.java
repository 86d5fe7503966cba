package dev.weft.lab.seed004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.CommandRun;
import dev.weft.service.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class NetVmFiguresTest {
  @Test
  void shouldAgreeWithTheRowsOfSeed004AndPrintTheSameReportTwice() {
    CommandRun one = CommandRun.of("repro", "netvm", "--strict");
    System.out.println(one.out());
    assertEquals(ExitCode.OK, one.exitCode(), one.out() + one.err());
    assertTrue(one.out().contains("netvm.semaphore"), one.out());
    assertEquals(one.out(), CommandRun.of("repro", "netvm", "--strict").out());
  }
}
