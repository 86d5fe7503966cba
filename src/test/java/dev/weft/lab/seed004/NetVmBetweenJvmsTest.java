package dev.weft.lab.seed004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.launcher.WeftCommand;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The far JVM runs the launcher's {@code weft}, so this is among the tests that cross modules. */
@Tag("jvms")
@Timeout(600)
class NetVmBetweenJvmsTest {
  private record CommandRun(int exitCode, String out, String err) {}

  private static CommandRun run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = WeftCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new CommandRun(exitCode, out.toString(), err.toString());
  }

  @ParameterizedTest
  @CsvSource({"latency -n 200,ratio", "locks -n 100,hand-over to a waiter", "faults -n 400 --rate 0,0 RNR NAKs or time-outs"})
  void shouldMeasureThisMachineBetweenTwoJvms(String what, String expected) {
    CommandRun run = run(("netvm --jvms 2 " + what).split(" "));
    System.out.println(run.out());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains(expected), run.out());
  }

  @Test
  void shouldPrintOneObjectWhereJsonIsAskedFor() throws Exception {
    CommandRun run = run("netvm", "pinning", "--jvms", "2", "-n", "100", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(new ObjectMapper().readTree(run.out()).path("registration4096").asDouble() > 0, run.out());
  }
}
