package dev.weft.nbd;

import static dev.weft.Waits.awaitSeldom;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A JVM of {@code weft join} that was paused for so long that the fabric has removed it: it ends, and says why. */
@Execution(ExecutionMode.CONCURRENT)
class PausedJoinTest {
  private WeftProcess weft;
  private Process join;

  @AfterEach
  void end() throws Exception {
    if (join != null) {
      join.destroyForcibly();
    }
    weft.close();
  }

  private boolean isServed() {
    try {
      for (JsonNode jvm : weft.status().path("jvms")) {
        for (JsonNode export : jvm.path("pager").path("exports")) {
          if (export.path("name").asText().startsWith("joined-")) {
            return true;
          }
        }
      }
      return false;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void signal(String name) throws Exception {
    assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(join.pid())).start().waitFor());
  }

  @Test
  @Timeout(240)
  void shouldEndWithTheReasonOnOneLine() throws Exception {
    weft = new WeftProcess();
    WeftProcess.Answer up = weft.run("up", "--servers=1", "--memory=8M", "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--detach");
    assertEquals(0, up.exitCode(), up.err() + up.out() + weft.logs());
    join = weft.start("join", weft.address(), "--memory=4M");
    awaitSeldom("the export of the JVM that joined", 60, () -> isServed());
    signal("STOP");
    try {
      awaitSeldom("the export to be withdrawn", 90, () -> !isServed());
    } finally {
      signal("CONT");
    }
    assertTrue(join.waitFor(60, TimeUnit.SECONDS), weft.logs());
    String said = Files.readString(weft.stateDirectory().resolve("join.log"));
    assertEquals(1, join.exitValue(), said);
    // Whoever notices first: the other members, or the media driver.
    assertTrue(said.lines().anyMatch(line -> line.startsWith("weft: the fabric has removed this JVM: other JVMs did not hear it for too long")
        || line.startsWith("weft: the media driver is lost, or this JVM was paused for longer than ")), said);
  }
}
