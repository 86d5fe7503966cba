package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A fabric on three hosts, network namespaces around a bridge, and a cable that is pulled out: the side with the block device goes on
 * with what it has, the other one ends and says so, and who is back joins again. Needs root and {@code ip}, else it is skipped.
 */
@Timeout(900)
@Tag("jvms")
class ThreeNamespacesTest {
  private static final String OWN = Long.toString(ProcessHandle.current().pid() % 100_000);
  private static final String BRIDGE = "weft-s" + OWN;
  private static final int HOSTS = 3;
  private static final String BYTES = "4M";

  private final WeftProcess[] hosts = new WeftProcess[HOSTS];
  private final Process[] joined = new Process[HOSTS];
  @TempDir private Path directory;

  private static String namespace(int host) {
    return "weft-" + host + "-" + OWN;
  }

  private static String address(int host) {
    return "10.213.8." + (host + 1);
  }

  private static String port(int host) {
    return "wf" + host + "p" + OWN;
  }

  @BeforeAll
  static void layTheCables() throws Exception {
    TwoHosts.needQemuIo();
    Needs.program("ip", "iproute2");
    List<String> commands = new ArrayList<>(List.of(
        "ip netns add " + BRIDGE, "ip -n " + BRIDGE + " link add br0 type bridge", "ip -n " + BRIDGE + " link set br0 up"));
    for (int host = 0; host < HOSTS; host++) {
      String namespace = namespace(host);
      commands.addAll(List.of("ip netns add " + namespace,
          "ip link add " + port(host) + " netns " + BRIDGE + " type veth peer name eth0 netns " + namespace,
          "ip -n " + BRIDGE + " link set " + port(host) + " master br0", "ip -n " + BRIDGE + " link set " + port(host) + " up",
          "ip -n " + namespace + " address add " + address(host) + "/24 dev eth0",
          "ip -n " + namespace + " link set eth0 up", "ip -n " + namespace + " link set lo up"));
    }
    Namespaces.make(commands);
  }

  @AfterAll
  static void takeTheCablesAway() throws Exception {
    for (int host = 0; host < HOSTS; host++) {
      Namespaces.system("ip netns del " + namespace(host)); // The devices go with it.
    }
    Namespaces.system("ip netns del " + BRIDGE);
  }

  @BeforeEach
  void start() throws Exception {
    for (int host = 0; host < HOSTS; host++) {
      hosts[host] = new WeftProcess(Namespaces.in(namespace(host)), "");
    }
    WeftProcess.Answer up = hosts[0].run("up", "--servers=1", "--memory=" + BYTES, "--bind=" + address(0),
        "--nbd=unix:" + directory.resolve("weft.sock"), "--http=127.0.0.1:0", "--detach");
    assertEquals(0, up.exitCode(), up.err() + up.out() + hosts[0].logs());
    join(1);
    join(2);
  }

  @AfterEach
  void stop() throws Exception {
    for (int host = 0; host < HOSTS; host++) {
      plug(host, "up");
    }
    for (Process process : joined) {
      if (process != null) {
        process.destroy();
      }
    }
    for (int host = 0; host < HOSTS; host++) {
      if (hosts[host] != null) {
        hosts[host].close();
      }
      if (joined[host] != null && !joined[host].waitFor(Waits.PATIENCE_S, TimeUnit.SECONDS)) {
        joined[host].destroyForcibly();
      }
    }
  }

  private static void plug(int host, String state) throws Exception {
    assertEquals(0, Namespaces.system("ip -n " + BRIDGE + " link set " + port(host) + " " + state).exitCode());
  }

  private void join(int host) throws Exception {
    joined[host] = hosts[host].start("join", hosts[0].address(), "--memory=" + BYTES, "--bind=" + address(host),
        "--secret-file=" + hosts[0].stateDirectory().resolve("secret"));
  }

  private String logs() throws IOException {
    return hosts[0].logs() + hosts[1].logs() + hosts[2].logs();
  }

  /** Names of the exports of the JVM on a host. */
  private static List<String> exports(JsonNode status, int host) {
    return status.findValues("exports").stream().flatMap(JsonNode::valueStream).map(export -> export.path("name").asText())
        .filter(name -> name.startsWith("joined-" + address(host) + "-")).distinct().toList();
  }

  /** URI of the export of the JVM on a host. */
  private String awaitExport(int host) throws Exception {
    JsonNode status = hosts[0].awaitJson("an export of host " + host, json -> {
      assertTrue(joined[host].isAlive(), "host " + host + " has ended");
      return !exports(json, host).isEmpty();
    });
    return hosts[0].nbd().replace("nbd+unix:///", "nbd+unix:///" + exports(status, host).getFirst());
  }

  private boolean succeeds(String uri, String command) throws Exception {
    Path out = directory.resolve("qemu-io.out");
    Process process = new ProcessBuilder("qemu-io", "-f", "raw", "-c", command, uri).redirectErrorStream(true)
        .redirectOutput(out.toFile()).start();
    Waits.until("qemu-io '" + command + "' to end", () -> !process.isAlive(), this::logs);
    String said = Files.readString(out);
    return process.exitValue() == 0 && !said.contains("failed") && !said.contains("error");
  }

  private void awaitMembersUp(Integer... expected) {
    hosts[0].awaitJson("hosts " + List.of(expected) + " to be up, and no other", status -> status.path("members").valueStream()
        .filter(member -> member.path("state").asText().equals("Up")).map(member -> member.path("address").asText().replaceFirst(":.*", ""))
        .sorted().toList().equals(Stream.of(expected).map(ThreeNamespacesTest::address).toList()));
  }

  /** It ends by itself, says why on one line, and leaves nothing that could answer anybody. */
  private void hasEndedAndSaysWhy(int host) throws Exception {
    Waits.until("host " + host + " to end without its fabric", () -> !joined[host].isAlive(), hosts[host]::logs);
    String said = Files.readString(hosts[host].stateDirectory().resolve("join.log"));
    assertEquals(1, joined[host].exitValue(), said);
    assertTrue(said.lines().anyMatch(line -> line.startsWith("weft: the fabric has removed this JVM: other JVMs did not hear it for too long")
        || line.startsWith("weft: this JVM is out of the fabric")), said);
    WeftProcess.Answer status = hosts[host].run("status");
    assertEquals(1, status.exitCode(), status.out());
    assertTrue(status.err().contains("no fabric is up"), status.err());
    Waits.until("its media driver to end, too", () -> Files.notExists(hosts[host].driverDirectory().resolve("cnc.dat")), hosts[host]::logs);
  }

  @Test
  void shouldGoOnWithoutAHostThatIsCutOffAndTakeItBack() throws Exception {
    String device = hosts[0].nbd();
    String near = awaitExport(1);
    String far = awaitExport(2);
    assertTrue(succeeds(device, "write -P 0x10 0 " + BYTES) && succeeds(near, "write -P 0x11 0 " + BYTES)
        && succeeds(far, "write -P 0x12 0 " + BYTES), logs());
    plug(2, "down");
    while (joined[2].isAlive()) { // Nobody of the others waits for the one that is gone.
      assertTrue(succeeds(device, "read -P 0x10 0 1M") && succeeds(near, "read -P 0x11 0 1M"), logs());
      Thread.sleep(200);
    }
    hasEndedAndSaysWhy(2);
    hosts[0].awaitJson("the export to be withdrawn", status -> status.path("jvms").size() > 0 && exports(status, 2).isEmpty());
    awaitMembersUp(0, 1);
    assertTrue(succeeds(device, "read -P 0x10 0 " + BYTES) && succeeds(near, "read -P 0x11 0 " + BYTES), "what is not there is kept");
    assertTrue(succeeds(device, "write -P 0x20 0 1M") && succeeds(near, "write -P 0x21 0 1M"), logs());
    assertFalse(succeeds(far, "read 0 4k"), "the lost memory is served by nobody");
    assertTrue(joined[1].isAlive(), hosts[1].logs());

    plug(2, "up");
    join(2);
    String again = awaitExport(2);
    assertTrue(succeeds(again, "read -P 0 0 " + BYTES), "it is new memory, and nothing old is served as if it were current");
    assertTrue(succeeds(again, "write -P 0x32 0 " + BYTES) && succeeds(again, "read -P 0x32 0 " + BYTES), logs());
    assertTrue(succeeds(device, "read -P 0x20 0 1M") && succeeds(near, "read -P 0x21 0 1M"), logs());
    awaitMembersUp(0, 1, 2);
  }

  /** Two of three JVMs are no fabric without the one with the block device. */
  @Test
  void shouldGoOnWithTheBlockDeviceWhereItIsAlone() throws Exception {
    String device = hosts[0].nbd();
    awaitExport(1);
    awaitExport(2);
    assertTrue(succeeds(device, "write -P 0x10 0 " + BYTES), logs());
    plug(0, "down");
    while (joined[1].isAlive() || joined[2].isAlive()) {
      assertTrue(succeeds(device, "read -P 0x10 0 1M"), logs());
      Thread.sleep(200);
    }
    hasEndedAndSaysWhy(1);
    hasEndedAndSaysWhy(2);
    assertTrue(succeeds(device, "read -P 0x10 0 " + BYTES) && succeeds(device, "write -P 0x20 0 1M"), logs());
    hosts[0].awaitJson("the exports to be withdrawn",
        status -> status.path("jvms").size() > 0 && exports(status, 1).isEmpty() && exports(status, 2).isEmpty());
    awaitMembersUp(0);
  }
}
