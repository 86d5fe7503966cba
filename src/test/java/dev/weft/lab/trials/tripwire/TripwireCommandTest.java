package dev.weft.lab.trials.tripwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.CommandRun;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("jvms")
@Timeout(180)
class TripwireCommandTest {
  private static JsonNode json(String... arguments) throws IOException {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @ParameterizedTest
  @CsvSource({"callback, 8", "spin, 8", "block, 8", "callback, 70000", "spin, 3"})
  void shouldMeasureTheWayFromAWriteToWhoWaits(String wait, String size) throws IOException {
    JsonNode json = json("tripwire", "rtt", "--wait", wait, "-s", size, "-n", "300", "--warmup", "20", "--json");
    assertEquals("rtt", json.get("test").asText());
    assertEquals(300, json.get("iterations").asInt());
    assertEquals(wait, json.get("wait").asText());
    assertTrue(json.at("/latencyUs/min").asDouble() > 0 && json.at("/latencyUs/p99").asDouble() >= json.at("/latencyUs/typical").asDouble());
    assertEquals(0, json.get("wrong").asInt());
  }

  @ParameterizedTest
  @CsvSource({"rate, 8, 1", "rate, 100, 7", "bandwidth, 65536, 3", "bandwidth, 10, 1"})
  void shouldCountEveryWriteOfAStream(String test, String size, String endpoints) throws IOException {
    JsonNode json = json("tripwire", test, "-s", size, "--endpoints", endpoints, "-t", "16", "-n", "400", "--warmup", "12", "--json");
    assertEquals(400, json.get("iterations").asInt());
    assertEquals(Integer.parseInt(endpoints), json.get("endpoints").asInt());
    assertEquals(json.get("messagesPerSecond").asDouble() * Integer.parseInt(size), json.get("bytesPerSecond").asDouble(), 1);
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 0", "1000, 1, 0", "50, 10, 0", "20, 1, 100"})
  void shouldServeRequestsOfManyEndpoints(String endpoints, String depth, String gap) throws IOException {
    JsonNode json = json("tripwire", "server", "--endpoints", endpoints, "-t", depth, "--gap", gap, "-n", "400", "--warmup", "10", "--json");
    assertEquals(400, json.get("iterations").asInt());
    assertEquals(0, json.get("wrong").asInt());
    assertEquals("the round trip", json.get("latencyIs").asText());
  }

  @Test
  void shouldMeasureNumbersOfArmedTripwiresInTurn(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("rtt.hgrm");
    CommandRun run = CommandRun.of("tripwire", "rtt", "-n", "200", "--warmup", "0", "--tripwires", "0,5000", "--rounds", "3", "--histogram",
        file.toString());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    List<String> lines = run.out().lines().toList();
    assertEquals(5, lines.size(), run.out());
    assertTrue(lines.get(1).contains("t_typical[usec]") && lines.get(1).endsWith("armed beside"), run.out());
    assertTrue(lines.get(2).matches(" 8 +600 .* 0"), run.out());
    assertTrue(lines.get(3).matches(" 8 +600 .* 5000"), run.out());
    assertTrue(lines.get(4).contains("5000 armed beside against 0") && lines.get(4).contains("median of 3 rounds"), run.out());
    assertEquals(2, Files.readString(file).lines().filter(line -> line.contains("Percentile")).count());
  }

  @Test
  void shouldMeasureBetweenTwoJvms() throws IOException {
    JsonNode json = json("tripwire", "server", "--jvms", "2", "--endpoints", "20", "-n", "200", "--warmup", "10", "--tripwires", "6000",
        "--json");
    assertEquals(2, json.get("jvms").asInt());
    assertEquals(200, json.get("iterations").asInt());
    assertEquals(6000, json.get("armedBeside").asInt());
    assertEquals(0, json.get("wrong").asInt());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "tripwire rtt -s 0                    | -s is 0, must be from 1 to 8M",
      "tripwire rtt --endpoints 2           | not for rtt",
      "tripwire rate --wait spin            | --wait is for rtt",
      "tripwire server -t 4 --endpoints 2   | raise --endpoints, which is 2",
      "tripwire rate --histogram f          | --histogram needs rtt or server",
      "tripwire rate -n 1 -D 1              | -n or -D",
      "tripwire rtt --tripwires 0,600000    | --tripwires is 600000",
      "tripwire bandwidth -s 8388608 --endpoints 4096 | must be at most 256 MiB",
      "tripwire walk                        | rtt, rate, bandwidth"})
  void shouldSayWhatIsWrongWithTheCommandLine(String command, String message) {
    CommandRun run = CommandRun.of(command.split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().toLowerCase(java.util.Locale.ROOT).contains(message.toLowerCase(java.util.Locale.ROOT)), run.err());
  }
}
