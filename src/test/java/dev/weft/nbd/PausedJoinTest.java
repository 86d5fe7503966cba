package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.Signals;
import dev.weft.fabric.rules.Waits;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A JVM of {@code weft join} that was paused for so long that the fabric has removed it: it ends, and says why. */
@Tag("jvms")
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

  private void awaitServed(boolean isServed) {
    Waits.seen("the export of the JVM that joined " + (isServed ? "to be served" : "to be withdrawn"), () -> weft.get("/weft/pager").path("exports"), exports ->
        exports.isArray() && isServed == exports.valueStream().anyMatch(export -> export.path("name").asText().startsWith("joined-")));
  }

  @Test
  @Timeout(500)
  void shouldEndWithTheReasonOnOneLine() throws Exception {
    weft = new WeftProcess();
    WeftProcess.Answer up = weft.run("up", "--servers=1", "--memory=8M", "--nbd=127.0.0.1:0", "--http=127.0.0.1:0", "--detach");
    assertEquals(0, up.exitCode(), up.err() + up.out() + weft.logs());
    join = weft.start("join", weft.address(), "--memory=4M");
    awaitServed(true);
    Signals.send("STOP", join.pid());
    try {
      awaitServed(false);
    } finally {
      Signals.send("CONT", join.pid());
    }
    Waits.until("the JVM to end when it goes on", () -> !join.isAlive(), weft::logs);
    String said = Files.readString(weft.stateDirectory().resolve("join.log"));
    assertEquals(1, join.exitValue(), said);
    // Whoever notices first: the other members, or the media driver.
    assertTrue(said.lines().anyMatch(line -> line.startsWith("weft: the fabric has removed this JVM: other JVMs did not hear it for too long")
        || line.startsWith("weft: the media driver is lost, or this JVM was paused for longer than ")), said);
  }
}
