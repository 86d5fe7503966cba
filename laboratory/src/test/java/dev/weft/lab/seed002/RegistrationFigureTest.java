package dev.weft.lab.seed002;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.CommandRun;
import dev.weft.service.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(240)
class RegistrationFigureTest {
  @Test
  void shouldAgreeWithTheRowsOfFigure13AndPrintTheSameReportTwice() {
    CommandRun one = CommandRun.of("repro", "registration", "--seed", "3", "--strict");
    System.out.println(one.out());
    assertEquals(ExitCode.OK, one.exitCode(), one.out() + one.err());
    assertTrue(one.out().contains("pvfs.reg.fmrd20"), one.out());
    assertEquals(one.out(), CommandRun.of("repro", "registration", "--seed", "3", "--strict").out());
  }
}
