package dev.weft.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.CommandRun;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.WeftCommand;
import dev.weft.launcher.cli.Manners;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Tag("slow")
@Tag("actor")
@Timeout(180)
class PerftestCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  static Stream<String> tests() {
    return PerfTest.all().stream().map(PerfTest::cliName);
  }

  private static JsonNode measure(String... args) throws IOException {
    List<String> line = new ArrayList<>(List.of("perftest"));
    line.addAll(List.of(args));
    line.addAll(List.of("--json", "--warmup", "20"));
    CommandRun run = CommandRun.of(line.toArray(String[]::new));
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals("", run.err());
    return JSON.readTree(run.out());
  }

  @ParameterizedTest
  @MethodSource("tests")
  void shouldVerifyEveryByteOfEveryOpcode(String test) throws IOException {
    boolean atomic = test.startsWith("cas") || test.startsWith("fadd");
    JsonNode json = atomic ? measure(test, "-n", "300", "--verify") : measure(test, "-s", "40001", "-n", "300", "--verify");
    assertEquals(test, json.get("test").asText());
    assertEquals(atomic ? 8 : 40001, json.get("bytes").asInt());
    assertEquals(300, json.get("iterations").asInt());
    assertEquals(0, json.get("wrong").asInt());
    assertTrue(json.get("verified").asBoolean());
    assertEquals(1.0, json.get("copiesPerByte").asDouble(), 0.001, json.toString());
    if (test.endsWith("lat")) {
      JsonNode us = json.get("latencyUs");
      assertTrue(us.get("min").asDouble() > 0 && us.get("min").asDouble() <= us.get("typical").asDouble(), json.toString());
      assertTrue(us.get("p99").asDouble() <= us.get("p999").asDouble(), json.toString());
      assertEquals(test.startsWith("send") || test.startsWith("write") ? "half of the round trip" : "the round trip",
          json.get("latencyIs").asText());
    } else {
      assertTrue(json.get("bytesPerSecond").asDouble() > 0, json.toString());
      assertTrue(json.get("peakBytesPerSecond").asDouble() >= json.get("bytesPerSecond").asDouble() * 0.999, json.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"send-lat", "send-bw", "write-lat", "write-bw", "write-imm-lat", "write-imm-bw", "read-lat", "read-bw"})
  void shouldFailWhenTheCableFlipsABitNowAndThen(String test) {
    PerftestCommand command = new PerftestCommand();
    command.captureBy(PerftestCommandTest::flippingLink, Path.of("unused"));
    CommandLine line = Manners.configured(new CommandLine(command), WeftCommand.commandLine());
    CommandRun run = CommandRun.of(line, test, "-s", "2000", "-n", "200", "--verify", "--json");
    assertEquals(ExitCode.FAILURE, run.exitCode(), run.out());
    assertTrue(run.err().startsWith("weft: verification failed: ") && run.err().contains("differs at byte 1000"), run.err());
  }

  /** Flips one bit in the middle of every 50th packet that carries data. */
  private static NodeLink flippingLink() {
    int[] count = {0};
    return (hca, port) -> {
      NodeLink.Ends ends = NodeLink.DIRECT.lay(hca, port);
      Cable flipping = message ->
          ends.fromHca().transmit(message instanceof Packet p && p.payload().length() > 1000 && ++count[0] % 50 == 0 ? flip(p) : message);
      return new NodeLink.Ends(flipping, ends.fromPort());
    };
  }

  private static Packet flip(Packet p) {
    int length = p.payload().length();
    MemorySegment copy = Arena.ofAuto().allocate(length);
    p.payload().copyTo(copy, 0, new CopyCounter());
    copy.set(ValueLayout.JAVA_BYTE, 1000, (byte) (copy.get(ValueLayout.JAVA_BYTE, 1000) ^ 1));
    return new Packet(p.opcode(), p.srcLid(), p.dstLid(), p.serviceLevel(), p.solicited(), p.ackReq(), p.pkey(), p.destQp(), p.psn(),
        p.va(), p.rkey(), p.dmaLength(), p.syndrome(), p.msn(), p.immediate(), p.swapAdd(), p.compare(), Payload.of(copy, 0, length));
  }

  @Test
  void shouldPrintTheColumnsThatPerftestUsersKnow() {
    CommandRun latency = CommandRun.of("perftest", "write-lat", "-n", "50", "--warmup", "0");
    for (String column : List.of("#bytes", "#iterations", "t_min[usec]", "t_max[usec]", "t_typical[usec]", "t_avg[usec]",
        "t_stdev[usec]", "99%[usec]", "99.9%[usec]", "copies/byte")) {
      assertTrue(latency.out().contains(column), latency.out());
    }
    assertEquals(3, latency.out().lines().count(), latency.out());
    CommandRun bandwidth = CommandRun.of("perftest", "write-bw", "-s", "4096", "-n", "50", "--warmup", "0");
    for (String column : List.of("BW peak[MB/s]", "BW average[MB/s]", "MsgRate[Mpps]")) {
      assertTrue(bandwidth.out().contains(column), bandwidth.out());
    }
  }

  @Test
  void shouldRunAllSizesInPowersOfTwo() {
    CommandRun run = CommandRun.of("perftest", "write-bw", "-a", "-n", "4", "--warmup", "0", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals(23, run.out().lines().count());
  }

  @Test
  void shouldSpreadOverQueuePairsWithinTheGivenDepth() throws IOException {
    JsonNode json = measure("send-bw", "-s", "3000", "-q", "5", "-t", "7", "-n", "60", "--verify");
    assertEquals(300, json.get("iterations").asInt());
    assertEquals(5, json.get("queuePairs").asInt());
    assertEquals(7, json.get("depth").asInt());
  }

  @Test
  void shouldEndAfterTheGivenTime() throws IOException {
    JsonNode json = measure("write-bw", "-s", "64", "-D", "0.2");
    assertTrue(json.get("elapsedSeconds").asDouble() > 0.15, json.toString()); // At most what the machine needs: the time limit is the test's.
    JsonNode latency = measure("read-lat", "-D", "0.2");
    assertTrue(latency.get("elapsedSeconds").asDouble() > 0.15, latency.toString());
  }

  @Test
  void shouldCutMessagesAtTheGivenMtu() throws IOException {
    assertEquals(256, measure("write-lat", "-s", "5000", "-n", "50", "--mtu", "256", "--verify").get("pathMtu").asInt());
  }

  @ParameterizedTest
  @ValueSource(strings = {"send-lat", "write-lat", "write-imm-bw", "write-bw"})
  void shouldSendInlineUpToTheGivenLength(String test) throws IOException {
    JsonNode json = measure(test, "-s", "64", "-n", "100", "--inline", "64", "--verify");
    assertTrue(json.get("inline").asBoolean());
    // Posting copies what is inline; what is read back for verification is not.
    double copies = test.startsWith("write") && test.endsWith("bw") ? 1.5 : 2;
    assertEquals(copies, json.get("copiesPerByte").asDouble(), 0.001, json.toString());
  }

  @ParameterizedTest
  @MethodSource("tests")
  void shouldAlsoBeDrivenByAnApplicationThreadThatSpins(String test) throws IOException {
    assertEquals("polling", measure(test, "-n", "30", "--context", "polling", "--verify").get("context").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {"write-lat", "send-lat", "write-bw"})
  void shouldKeepTheRateAndCountLatencyFromTheScheduledStart(String test) throws IOException {
    JsonNode json = measure(test, "-s", "8", "--rate", "2000", "-n", "400");
    assertTrue(json.get("elapsedSeconds").asDouble() > 399 / 2000.0 - 0.001, () -> "not faster than the rate, however fast the fabric is: " + json);
    assertEquals("from the scheduled start", json.get("latencyIs").asText());
    assertTrue(json.get("latencyUs").get("typical").asDouble() > 0, json.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"read-lat", "read-bw --jvms 2", "write-lat --jvms 2", "send-lat --jvms 2"})
  void shouldRefuseToParkATargetThatIsNotApartOrHasToAnswer(String test) {
    CommandRun run = CommandRun.of(("perftest --park-target " + test).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("--park-target is for read-lat, cas-lat and fadd-lat with --jvms 2"), run.err());
  }

  @Test
  void shouldWriteTheDistribution(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("h.hgrm");
    measure("read-lat", "-n", "200", "--histogram", file.toString());
    String text = Files.readString(file);
    assertTrue(text.contains("Percentile") && text.contains("Total count    =          200"), text);
  }
}
