package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two network namespaces, joined by a pair of virtual Ethernet devices with the usual MTU of 1500 bytes: as near to two hosts as one
 * machine gets. Needs root and {@code ip}, else it is skipped.
 */
@Timeout(600)
@Tag("client")
class TwoNamespacesTest {
  private static final String HERE = "10.213.7.1";
  private static final String THERE = "10.213.7.2";
  private static final String OWN = Long.toString(ProcessHandle.current().pid() % 100_000);
  private static final String NS_HERE = "weft-a" + OWN;
  private static final String NS_THERE = "weft-b" + OWN;
  private static final String DEV_HERE = "wfa" + OWN;
  private static final String DEV_THERE = "wfb" + OWN;

  @TempDir private Path directory;

  @BeforeAll
  static void layTheWire() throws Exception {
    TwoHosts.needQemuIo();
    Needs.program("ip", "iproute2");
    Needs.program("ss", "iproute2");
    List<String> commands = List.of(
        "ip netns add " + NS_HERE, "ip netns add " + NS_THERE,
        "ip link add " + DEV_HERE + " netns " + NS_HERE + " type veth peer name " + DEV_THERE + " netns " + NS_THERE,
        "ip -n " + NS_HERE + " address add " + HERE + "/24 dev " + DEV_HERE,
        "ip -n " + NS_THERE + " address add " + THERE + "/24 dev " + DEV_THERE,
        "ip -n " + NS_HERE + " link set " + DEV_HERE + " up", "ip -n " + NS_THERE + " link set " + DEV_THERE + " up",
        "ip -n " + NS_HERE + " link set lo up", "ip -n " + NS_THERE + " link set lo up");
    Namespaces.make(commands);
  }

  @AfterAll
  static void cutTheWire() throws Exception {
    Namespaces.system("ip netns del " + NS_HERE); // The devices go with it.
    Namespaces.system("ip netns del " + NS_THERE);
  }

  private TwoHosts hosts() throws IOException {
    return new TwoHosts(new WeftProcess(Namespaces.in(NS_HERE), ""), new WeftProcess(Namespaces.in(NS_THERE), ""), directory);
  }

  /** Datagrams that IP has cut, since the namespace was made. */
  private static long fragmented(String namespace) throws Exception {
    List<String[]> ip = Namespaces.system("ip netns exec " + namespace + " cat /proc/net/snmp").output().lines()
        .filter(line -> line.startsWith("Ip:")).map(line -> line.split(" ")).toList();
    return Long.parseLong(ip.get(1)[List.of(ip.get(0)).indexOf("FragCreates")]);
  }

  /** Sockets that listen, or wait for datagrams of anybody, at other addresses than loopback. */
  private static List<String> open(String namespace) throws Exception {
    Namespaces.Ran ran = Namespaces.system("ip netns exec " + namespace + " ss -Hlntu");
    Needs.that(ran.exitCode() == 0, "'ss' in a network namespace said: " + ran.output());
    return ran.output().lines().map(line -> line.trim().split(" +"))
        .map(words -> words[0] + " " + words[4].replaceFirst("^\\[::ffff:(.*)]:", "$1:"))
        .filter(socket -> !socket.contains(" 127.0.0.1:")).toList();
  }

  @Test
  void shouldServeTheMemoryOfAnotherHost() throws Exception {
    try (TwoHosts hosts = hosts()) {
      String said = hosts.up(HERE);
      assertTrue(said.contains("--secret-file FILE)"), said);
      Path secret = hosts.here().stateDirectory().resolve("secret");
      assertTrue(said.contains("Secret   " + secret), said);
      hosts.refusesWhoDoesNotKnowTheSecret(THERE, secret);
      hosts.writeAndRead(hosts.join(THERE, "--secret-file=" + secret));
      hosts.bothAreShown(HERE, THERE);
      for (String socket : open(NS_HERE)) {
        assertTrue(socket.startsWith("udp " + HERE + ":") || socket.equals("tcp " + hosts.here().address()),
            "only the control plane, the trunks and the place where JVMs ask to join leave loopback, not " + socket);
      }
      assertEquals(0, fragmented(NS_HERE), "no packet was longer than the network takes");
      assertEquals(0, fragmented(NS_THERE), "no packet was longer than the network takes");
      hosts.downEndsBoth();
    }
  }

  /** What else could be missing is shown by a queue that every kernel has. */
  private static void loseOnePercent(String end) throws Exception {
    Needs.program("tc", "iproute2");
    Namespaces.Ran plain = Namespaces.system("ip netns exec " + end + " root pfifo");
    Needs.that(plain.exitCode() == 0, "tc may not change queues: " + plain.output() + "; run the tests as root");
    Namespaces.Ran lossy = Namespaces.system("ip netns exec " + end.replace(" add ", " replace ") + " root netem loss 1%");
    Needs.kernel(lossy.exitCode() == 0, "netem, which loses packets on purpose; tc said: " + lossy.output());
  }

  @Test
  void shouldServeTheMemoryOfAnotherHostWhilePacketsAreLost() throws Exception {
    for (String end : new String[] {NS_HERE + " tc qdisc add dev " + DEV_HERE, NS_THERE + " tc qdisc add dev " + DEV_THERE}) {
      loseOnePercent(end);
    }
    try (TwoHosts hosts = hosts()) {
      hosts.up(HERE);
      hosts.writeAndRead(hosts.join(THERE, "--secret-file=" + hosts.here().stateDirectory().resolve("secret")));
      assertTrue(MediaDriverOf.retransmits(hosts.here()) > 0 && MediaDriverOf.retransmits(hosts.there()) > 0, "packets were lost");
    } finally {
      Namespaces.system("ip netns exec " + NS_HERE + " tc qdisc del dev " + DEV_HERE + " root");
      Namespaces.system("ip netns exec " + NS_THERE + " tc qdisc del dev " + DEV_THERE + " root");
    }
  }

  /** What passes on the wire of the first host, until it is closed. */
  private static final class Wire implements AutoCloseable {
    private final Path file;
    private final Process tshark;

    Wire(Path directory) throws Exception {
      file = directory.resolve("wire.pcapng");
      List<String> command = Namespaces.in(NS_HERE);
      command.addAll(List.of("tshark", "-i", DEV_HERE, "-F", "pcapng", "-w", "-"));
      tshark = new ProcessBuilder(command).redirectOutput(file.toFile()).redirectError(directory.resolve("tshark.err").toFile()).start();
      Waits.until("tshark to capture", () -> Files.readString(directory.resolve("tshark.err")).contains("Capturing on"),
          () -> Files.readString(directory.resolve("tshark.err")));
    }

    /** All of it, as characters of one byte. */
    String text() throws IOException {
      close();
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
      tshark.destroy();
      tshark.onExit().join();
    }
  }

  @Test
  void shouldPassNothingInTheClear() throws Exception {
    MountProcess.need();
    Needs.program("tshark", "tshark");
    String content = "nobody may read this sentence on the wire. ".repeat(4000);
    try (TwoHosts hosts = hosts(); Wire wire = new Wire(directory)) {
      hosts.up(HERE, "--pvfs=1", "--pvfs-memory=32M");
      Path secret = hosts.here().stateDirectory().resolve("secret");
      try (MountProcess far = MountProcess.start(hosts.there(), directory.resolve("far"), "--fabric=" + HERE, "--secret-file=" + secret)) {
        Files.writeString(far.directory().resolve("name-of-a-file"), content);
        assertEquals(content, Files.readString(far.directory().resolve("name-of-a-file")));
      }
      String seen = wire.text();
      assertTrue(seen.length() > 2 * content.length(), "the data has crossed the wire");
      for (String clear : List.of("sentence on the wire", "name-of-a-file", "pvfs-manager", "akka", "artery", Files.readString(secret).strip())) {
        assertFalse(seen.contains(clear), clear);
      }
    }
  }

  /** Mounts of two hosts; the data crosses the wire, because the daemons are on the first. */
  @Test
  void shouldMountTheFileSystemOnAnotherHost() throws Exception {
    MountProcess.need();
    byte[] data = new byte[3 << 20];
    new Random(33).nextBytes(data);
    try (TwoHosts hosts = hosts()) {
      hosts.up(HERE, "--pvfs=2", "--pvfs-memory=32M");
      Path secret = hosts.here().stateDirectory().resolve("secret");
      try (MountProcess far = MountProcess.start(hosts.there(), directory.resolve("far"), "--fabric=" + HERE, "--secret-file=" + secret);
          MountProcess near = MountProcess.start(hosts.here(), directory.resolve("near"))) {
        Files.write(far.directory().resolve("written far"), data);
        assertArrayEquals(data, Files.readAllBytes(near.directory().resolve("written far")));
        Files.write(near.directory().resolve("written near"), data);
        assertArrayEquals(data, Files.readAllBytes(far.directory().resolve("written near")));
        hosts.here().awaitStatus("the mount of the other host among the members",
            status -> status.out().lines().anyMatch(line -> line.matches("\\s+" + THERE.replace(".", "\\.") + ":[0-9]+\\s+Up\\s.*program.*")));
      }
    }
  }

  @Test
  void shouldSayHowToJoinFromAnotherHost() throws Exception {
    try (TwoHosts hosts = hosts()) {
      hosts.up(HERE);
      WeftProcess.Answer unbound = hosts.there().run("join", hosts.here().address(), "--memory=1M");
      assertEquals(1, unbound.exitCode(), unbound.out());
      assertTrue(unbound.err().contains("admits only JVMs that have its secret"), "the address of this host is found: " + unbound.err());
      WeftProcess.Answer loopback = hosts.there().run("join", hosts.here().address(), "--memory=1M", "--bind=127.0.0.1");
      assertEquals(1, loopback.exitCode(), loopback.out());
      assertTrue(loopback.err().contains("--bind " + THERE + ","), loopback.err());
      WeftProcess.Answer nobody = hosts.there().run("join", HERE + ":25999", "--memory=1M", "--bind=" + THERE);
      assertEquals(1, nobody.exitCode(), nobody.out());
      assertTrue(nobody.err().contains("no fabric listens at " + HERE + ":25999") && nobody.err().contains("'./weft up --bind " + HERE + "'"),
          nobody.err());
      WeftProcess.Answer noRoute = hosts.there().run("join", "192.0.2.1:25520", "--memory=1M", "--bind=" + THERE);
      assertEquals(1, noRoute.exitCode(), noRoute.out());
      assertTrue(noRoute.err().contains("192.0.2.1"), noRoute.err());
    }
  }
}
