package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.PageProgram;
import dev.weft.service.ExitCode;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weft up --dsm}, with the program of {@code docs/guides/shared-memory.md} in two JVMs of its own, which share falsely. */
@Tag("jvms")
@Timeout(600)
class SharedMemoryInUpTest {
  private static final int PROGRAM_S = 300;

  /** The command of {@code weft} with another main class. */
  private static Process program(WeftProcess weft, Path directory, int number) throws IOException {
    ProcessBuilder builder = weft.builder(Integer.toString(number));
    List<String> command = builder.command();
    command.replaceAll(word -> word.equals("dev.weft.launcher.Main") ? "Shares" : word);
    int classPath = command.indexOf("-cp") + 1;
    command.set(classPath, command.get(classPath) + File.pathSeparator + directory);
    return builder.redirectErrorStream(true).redirectOutput(directory.resolve(number + ".out").toFile()).start();
  }

  @Test
  void shouldServeHomesToProgramsAndNameTheirFalseSharing(@TempDir Path directory) throws Exception {
    PageProgram.compile("docs/guides/shared-memory.md", "Shares.java", directory);
    try (WeftProcess weft = new WeftProcess()) {
      WeftProcess.Answer up = weft.run("up", "--jvms=2", "--servers=1", "--memory=8M", "--nbd=unix:" + directory.resolve("nbd"), "--http=127.0.0.1:0",
          "--dsm=demo", "--dsm-memory=1M", "--detach");
      assertEquals(ExitCode.OK, up.exitCode(), up.err() + weft.logs());
      assertTrue(up.out().contains("Shared memory \"demo\", 1 MiB, homes at dsm-0, dsm-1"), up.out());
      List<Process> programs = List.of(program(weft, directory, 0), program(weft, directory, 1));
      for (Process one : programs) {
        boolean ended = one.waitFor(PROGRAM_S, TimeUnit.SECONDS);
        one.destroyForcibly();
        int number = programs.indexOf(one);
        String said = Files.readString(directory.resolve(number + ".out"));
        assertTrue(ended && one.exitValue() == 0 && said.lines().anyMatch("200"::equals), said);
      }
      WeftProcess.Answer top = weft.run("dsm", "top", "--once", "--json");
      assertEquals(ExitCode.OK, top.exitCode(), top.err());
      JsonNode space = new ObjectMapper().readTree(top.out()).path("spaces").path(0);
      assertEquals("demo", space.path("space").asText(), top.out());
      assertEquals(2, space.path("nodes").size(), top.out());
      JsonNode array = space.path("arrays").path(0);
      assertEquals("slots", array.path("name").asText());
      assertTrue(array.path("site").asText().matches("Shares\\.main\\(Shares\\.java:\\d+\\)"), top.out());
      assertEquals(1, array.path("falselyShared").asInt(), top.out());
      assertEquals(128, array.path("unit").asInt(), top.out());
      String text = weft.run("dsm", "top", "--once").out();
      assertTrue(text.contains("False sharing: \"slots\", made at Shares.main(Shares.java:"), text);
      assertTrue(text.contains("SharingUnit.bytes(128) would keep them apart."), text);
      assertTrue(weft.get("/weft/status").findValuesAsText("title").contains("Shared memory"), "a table of weft status");
      WeftProcess.Answer down = weft.run("down");
      assertEquals(ExitCode.OK, down.exitCode(), down.err());
      assertTrue(!weft.logs().contains("ERROR"), weft.logs());
    }
  }
}
