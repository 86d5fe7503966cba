package dev.weft.pvfs.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TopLookTest {
  private static final String DAEMON = """
      {"io-0": {"memoryBytes": 1048576, "freeBytes": 65536, "objects": 3, "clients": [{"node": "c", "credits": 32, "underWay": 2, "requests": 9}],
      "requests": [%d, 4, 0, 0, 0, 0, 0, 0, 0], "bands": [1, 0, 2], "bandBytes": [0, 0, %d], "busiest": [{"object": 42, "requests": %d, "bytes": %d}],
      "bytesRead": %d, "bytesWritten": 0, "bytesCopied": 0, "moving": 0, "starving": 1}}""";

  private static TopLook look(long seconds, long reads, long bytes) throws Exception {
    JsonNode section = new ObjectMapper().readTree(DAEMON.formatted(reads, bytes, reads, bytes, bytes));
    JsonNode client = new ObjectMapper().readTree("{\"tasks\": 1, \"sentBy\": [0, 0, " + reads + "], \"bytesRead\": " + bytes
        + ", \"daemons\": [{\"node\": \"io-0\", \"isUp\": true, \"credits\": 5, \"bands\": \"inline to 4096\"}]}");
    return TopLook.of(seconds * 1_000_000_000L, List.of(section), List.of(), Map.of("mount 17", client));
  }

  private static JsonNode since(TopLook now, TopLook before) {
    return new ObjectMapper().valueToTree(now.since(before));
  }

  @Test
  void shouldSayWhatWasDoneEachSecond() throws Exception {
    JsonNode json = since(look(12, 300, 5_000_000), look(10, 100, 1_000_000));
    JsonNode daemon = json.path("daemons").path(0);
    assertEquals(100, daemon.path("requestsPerS").path("read").asDouble());
    assertEquals(0, daemon.path("requestsPerS").path("write").asDouble());
    assertEquals(2e6, daemon.path("bytesPerS").path("server").asDouble());
    assertEquals(100, json.path("clients").path(0).path("requestsPerS").path("server").asDouble());
    assertEquals(42, json.path("files").path(0).path("inode").asLong());
    assertEquals(2e6, json.path("files").path(0).path("bytesPerS").asDouble());
  }

  @Test
  void shouldCountFromZeroWhereADaemonHasStartedAnew() throws Exception {
    JsonNode daemon = since(look(12, 10, 1_000), look(10, 1_000, 1_000_000)).path("daemons").path(0);
    assertEquals(5, daemon.path("requestsPerS").path("read").asDouble());
    assertEquals(500, daemon.path("bytesPerS").path("server").asDouble());
  }

  @Test
  void shouldNotTakeForARateWhatWasCountedBeforeItWasSeen() throws Exception {
    TopLook empty = TopLook.of(10_000_000_000L, List.of(), List.of(), Map.of());
    JsonNode json = since(look(12, 300, 5_000_000), empty);
    assertEquals(0, json.path("daemons").path(0).path("requestsPerS").path("read").asDouble());
    assertEquals(0, json.path("daemons").path(0).path("readBytesPerS").asDouble());
    assertEquals(0, json.path("clients").path(0).path("requestsPerS").path("server").asDouble());
    assertTrue(json.path("files").isEmpty(), "a file of a daemon that was not seen before");
    assertTrue(since(TopLook.of(12_000_000_000L, List.of(busiest(7, 8)), List.of(), Map.of()),
        TopLook.of(10_000_000_000L, List.of(busiest(5, 7)), List.of(), Map.of())).path("files").isEmpty(), "one that was busy before, and not shown");
    JsonNode made = since(TopLook.of(12_000_000_000L, List.of(busiest(7, 8)), List.of(), Map.of()),
        TopLook.of(10_000_000_000L, List.of(busiest(7)), List.of(), Map.of())).path("files");
    assertTrue(made.size() == 1 && made.path(0).path("inode").asLong() == 8 && made.path(0).path("requestsPerS").asDouble() == 50,
        () -> "all were shown, so it is new: " + made);
  }

  private static JsonNode busiest(long... objects) throws Exception {
    String all = LongStream.of(objects).mapToObj("{\"object\": %d, \"requests\": 100, \"bytes\": 1000}"::formatted).collect(Collectors.joining(", "));
    return new ObjectMapper().readTree("{\"io-0\": {\"requests\": [], \"busiest\": [" + all + "]}}");
  }

  @Test
  void shouldShowFilesOnlyOfWhichSomethingWasMoved() throws Exception {
    assertTrue(since(look(12, 100, 5), look(10, 100, 5)).path("files").isEmpty());
  }

  @Test
  void shouldShowTheDisksOfDaemonsThatHaveThem() throws Exception {
    String disk = """
        {"io-0": {"requests": [], "disk": {"directory": "/var/io-0", "zones": 40, "zonesUsed": 3, "queue": 2, "bytesRead": 0, "bytesWritten": %d, "syncs": %d,
        "checksumErrors": 1, "errors": 0}}}""";
    TopLook before = TopLook.of(0, List.of(new ObjectMapper().readTree(disk.formatted(0, 0))), List.of(), Map.of());
    TopLook now = TopLook.of(2_000_000_000L, List.of(new ObjectMapper().readTree(disk.formatted(4 << 20, 10))), List.of(), Map.of());
    assertEquals(5, since(now, before).path("daemons").path(0).path("disk").path("syncsPerS").asDouble());
    String text = String.join("\n", TopText.of(now.since(before)));
    assertTrue(text.lines().anyMatch(line -> line.matches("io-0 +40 +3 +2 +0 +2.0 MiB +5.0 +1 +0 +/var/io-0")), text);
  }

  @Test
  void shouldSayItInLinesForPeople() throws Exception {
    String text = String.join("\n", TopText.of(look(12, 300, 5_000_000).since(look(10, 100, 1_000_000))));
    assertTrue(text.contains("server 1.9 MiB"), text);
    assertTrue(text.contains("inline to 4096"), text);
    assertTrue(text.contains("io-0: 1 writes wait for memory"), text);
    assertFalse(text.contains("Manager"), text);
  }
}
