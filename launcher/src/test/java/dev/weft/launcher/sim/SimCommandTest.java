package dev.weft.launcher.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.launcher.CommandRun;
import dev.weft.launcher.ExitCode;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class SimCommandTest {
  @Test
  void shouldReportARangeOfSeedsAsJson() throws IOException {
    CommandRun run = CommandRun.of("sim", "--seeds", "1..3", "--dup", "0.1", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(3, json.get("seeds").asInt());
    assertEquals(0, json.get("failed").asInt());
    assertEquals(0.1, json.get("options").get("duplication").asDouble());
    assertTrue(json.get("faults").get("duplicated").asLong() > 0, run.out());
    assertTrue(json.get("recovery").get("duplicate request").asLong() > 0, run.out());
  }

  @Test
  void shouldGiveTheSameFiguresForTheSameSeedAgain() {
    assertEquals(figures(), figures());
  }

  private static String figures() {
    CommandRun run = CommandRun.of("sim", "--seeds", "7");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    return run.out().replaceAll(" in [0-9.]+ s\n", "\n");
  }

  @Test
  void shouldRunAPagerClusterAndSayWhichMarksWereNotHit() throws IOException {
    CommandRun run = CommandRun.of("sim", "--seeds", "1..4", "--faults", "loss,duplication", "--ops", "40", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(4, json.get("seeds").asInt());
    assertEquals(0, json.get("failed").asInt());
    assertEquals("loss,duplication", json.get("allowedFaults").asText());
    assertTrue(json.get("operations").get("WRITE").asLong() > 0, run.out());
    assertTrue(json.get("marksNeverHit").toString().contains("CLIENT_TOLD_OF_LOSS"), run.out());
  }

  @Test
  void shouldSayWhichClassesOfFaultsThereAre() {
    CommandRun run = CommandRun.of("sim", "--faults", "loss,rain");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("'rain' is no class of faults") && run.err().contains("server-crash"), run.err());
  }

  @Test
  void shouldTakeTheOptionsThatAReplayCommandNames() {
    CommandRun run = CommandRun.of("sim", "--seeds", "5..5", "--loss", "0.01", "--duplication", "0.2", "--reordering", "0.2",
        "--corruption", "0.01", "--partitions", "false");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("seeds 5..5: 1 runs") && run.out().contains(" 0 cut off"), run.out());
  }
}
