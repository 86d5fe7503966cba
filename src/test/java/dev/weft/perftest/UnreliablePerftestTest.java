package dev.weft.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.CommandRun;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.WeftCommand;
import dev.weft.launcher.cli.Manners;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code perftest -c UC} and {@code -c UD}. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class UnreliablePerftestTest {
  private static final int NO_QUEUE_PAIR = 0xff_fffe;

  private static JsonNode measured(CommandRun run) throws IOException {
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals("", run.err());
    return new ObjectMapper().readTree(run.out());
  }

  private static CommandRun overLosingCable(int every, String... args) {
    PerftestCommand command = new PerftestCommand();
    command.captureBy(() -> losingLink(every), Path.of("unused"));
    return CommandRun.of(Manners.configured(new CommandLine(command), WeftCommand.commandLine()), args);
  }

  /** Each so many packets with data are sent to a queue pair that does not exist, in which case their HCA drops them. */
  private static NodeLink losingLink(int every) {
    int[] count = {0};
    return (hca, port) -> {
      NodeLink.Ends ends = NodeLink.DIRECT.lay(hca, port);
      Cable losing = message ->
          ends.fromHca().transmit(message instanceof Packet p && p.payload().length() > 0 && ++count[0] % every == 0 ? astray(p) : message);
      return new NodeLink.Ends(losing, ends.fromPort());
    };
  }

  private static Packet astray(Packet p) {
    return new Packet(p.opcode(), p.srcLid(), p.dstLid(), p.serviceLevel(), p.solicited(), p.ackReq(), p.pkey(), NO_QUEUE_PAIR, p.psn(),
        p.va(), p.rkey(), p.dmaLength(), p.syndrome(), p.msn(), p.immediate(), p.swapAdd(), p.compare(), p.qkey(), p.srcQp(),
        p.payload());
  }

  @ParameterizedTest
  @CsvSource({"UC,send-lat,40001", "UC,send-bw,40001", "UC,write-lat,40001", "UC,write-imm-lat,40001", "UD,send-lat,4001",
      "UD,send-bw,4001", "UD,send-bw,32768"})
  void shouldVerifyEveryByte(String type, String test, int size) throws IOException {
    JsonNode json = measured(CommandRun.of("perftest", test, "-c", type, "-s", "" + size, "-n", "300", "--warmup", "20", "--verify",
        "--json"));
    assertEquals(type, json.get("connection").asText());
    assertEquals(300, json.get("iterations").asInt());
    assertEquals(0, json.get("wrong").asInt());
    int lost = json.get("lost").asInt();
    // A ping counts as lost after 0.1 s, which a pause of the machine may last.
    assertTrue(test.endsWith("lat") ? lost < 10 : lost == 0, json.toString());
    if (lost == 0) { // Out of memory before the request is complete, and into memory.
      assertEquals(2.0, json.get("copiesPerByte").asDouble(), 0.001, json.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"UC,send-bw", "UC,write-bw", "UC,write-imm-bw", "UD,send-bw"})
  void shouldCountEachLostMessageOfAStream(String type, String test) throws IOException {
    JsonNode json = measured(overLosingCable(20, test, "-c", type, "-s", "512", "-n", "200", "-q", "2", "--json"));
    assertEquals(400, json.get("iterations").asInt());
    assertEquals(20, json.get("lost").asInt(), json.toString());
  }

  @ParameterizedTest
  @CsvSource({"UC,send-bw", "UD,send-bw"})
  void shouldVerifyWhatArrivesThoughMessagesAreMissing(String type, String test) throws IOException {
    JsonNode json = measured(overLosingCable(20, test, "-c", type, "-s", "512", "-n", "200", "--verify", "--json"));
    assertEquals(10, json.get("lost").asInt(), json.toString());
    assertEquals(0, json.get("wrong").asInt());
  }

  @ParameterizedTest
  @CsvSource({"UC,send-lat,isr", "UC,write-lat,isr", "UC,write-imm-lat,isr", "UD,send-lat,isr", "UD,send-lat,polling",
      "UC,write-lat,polling"})
  void shouldGoOnAfterALostPingOrPong(String type, String test, String context) throws IOException {
    JsonNode json = measured(overLosingCable(15, test, "-c", type, "-s", "64", "-n", "40", "--context", context, "--verify", "--json"));
    assertEquals(40, json.get("iterations").asInt());
    assertEquals(0, json.get("wrong").asInt());
    // A busy machine may make more of them late, but not all.
    assertTrue(json.get("lost").asInt() >= 4 && json.get("lost").asInt() < 40, json.toString());
  }

  @Test
  void shouldFailWhenNothingComesBackAtAll() {
    CommandRun run = overLosingCable(1, "send-lat", "-c", "UD", "-n", "1000", "--json");
    assertEquals(ExitCode.FAILURE, run.exitCode(), run.out());
    assertTrue(run.err().contains("the last 50 messages were lost"), run.err());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "read-lat -c UC|read-lat needs -c RC", "read-bw -c UD|read-bw needs -c RC", "fadd-bw -c UC|fadd-bw needs -c RC",
      "cas-lat -c UD|cas-lat needs -c RC", "write-bw -c UD|datagrams (UD) are sends only",
      "write-imm-lat -c UD|datagrams (UD) are sends only", "send-lat -c UD -s 4097 --mtu 4096|the path MTU of 4096 bytes",
      "write-bw -c UC --verify|verified by reading back, which needs -c RC", "send-bw -c XRC|XRC"})
  void shouldRefuseWhatDoesNotExist(String line, String message) {
    CommandRun run = CommandRun.of(("perftest " + line).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode(), run.out());
    assertTrue(run.err().contains(message), run.err());
  }

  @Test
  void shouldRunAllSizesThatFitADatagram() {
    CommandRun run = CommandRun.of("perftest", "send-bw", "-c", "UD", "-a", "-m", "1024", "-n", "4", "--warmup", "0", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals(10, run.out().lines().count());
    assertTrue(run.out().lines().allMatch(line -> line.contains("\"pathMtu\":1024")), run.out());
  }

  @Test
  void shouldHaveAColumnForWhatWasLost() {
    CommandRun run = CommandRun.of("perftest", "send-bw", "-c", "UD", "-s", "64", "-n", "50", "--warmup", "0");
    assertTrue(run.out().contains("copies/byte  lost"), run.out());
    assertTrue(run.out().contains("send-bw, UD, 1 JVM"), run.out());
  }
}
