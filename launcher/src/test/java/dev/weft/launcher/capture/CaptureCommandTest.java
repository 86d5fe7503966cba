package dev.weft.launcher.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weft.launcher.CommandRun;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("client")
@Timeout(180)
class CaptureCommandTest {
  @TempDir private Path dir;

  /** With messages of 3 packets, each of the packets of 2 messages; requests and responses, acknowledgements aside. */
  @ParameterizedTest
  @CsvSource({
      "send,      0:2 1:2 2:2",
      "write,     6:2 7:2 8:2",
      "write-imm, 6:2 7:2 9:2",
      "read,      12:2 13:2 14:2 15:2",
      "cas,       18:2 19:2",
      "fadd,      18:2 20:2"})
  void shouldShowTsharkEachPacketOfEachOpcodeOnce(String operation, String expected) throws IOException, InterruptedException {
    assumeTshark();
    Path file = dir.resolve("c.pcapng");
    boolean atomic = operation.equals("cas") || operation.equals("fadd");
    String size = atomic ? "" : " -s 2500 --mtu 1024";
    CommandRun run = CommandRun.of(("capture " + file + " -- perftest " + operation + "-bw -n 2 --json" + size).split(" "));
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    List<Integer> opcodes = opcodes(file);
    assertEquals("weft: " + opcodes.size() + " packets in " + file, run.err().strip());
    StringBuilder counts = new StringBuilder();
    opcodes.stream().filter(opcode -> opcode != 17).sorted().distinct().forEach(opcode ->
        counts.append(opcode).append(':').append(opcodes.stream().filter(opcode::equals).count()).append(' '));
    assertEquals(expected, counts.toString().strip());
  }

  @Test
  void shouldPassOnTheExitCodeOfTheCapturedCommand() {
    CommandRun run = CommandRun.of("capture", dir.resolve("c.pcapng").toString(), "--", "perftest", "no-such-test");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("no-such-test"), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"no-such-test", "write-lat -n 0", "write-lat --jvms 2", "write-lat --no-such-option", "read-lat -c UD"})
  void shouldLeaveTheFileAloneWhenTheCapturedCommandIsWrong(String arguments) throws IOException {
    Path file = Files.writeString(dir.resolve("old.pcapng"), "somebody's capture");
    CommandRun run = CommandRun.of(("capture " + file + " -- perftest " + arguments).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertEquals("somebody's capture", Files.readString(file));
    assertTrue(!run.err().contains(" packets in "), run.err());
  }

  private List<Integer> opcodes(Path file) throws IOException, InterruptedException {
    Path out = dir.resolve("out");
    Process process = new ProcessBuilder("tshark", "-n", "-r", file.toString(), "-T", "fields", "-E", "occurrence=f",
        "-e", "infiniband.bth.opcode").redirectOutput(out.toFile()).redirectError(dir.resolve("err").toFile()).start();
    try {
      assertTrue(process.waitFor(90, TimeUnit.SECONDS), "tshark hangs");
    } finally {
      process.destroyForcibly();
    }
    assertEquals(0, process.exitValue(), Files.readString(dir.resolve("err")));
    return Files.readAllLines(out).stream().map(Integer::decode).toList();
  }

  /** Missing, it fails the build on CI and skips the test elsewhere. */
  private static void assumeTshark() {
    if (Arrays.stream(System.getenv("PATH").split(":")).noneMatch(d -> Files.isExecutable(Path.of(d, "tshark")))) {
      String message = "tshark is not on the PATH; install it (Debian: apt-get install tshark) to check captures";
      if ("true".equals(System.getenv("CI"))) {
        fail(message);
      }
      Assumptions.abort(message);
    }
  }
}
