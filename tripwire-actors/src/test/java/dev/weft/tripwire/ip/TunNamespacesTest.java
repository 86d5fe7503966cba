package dev.weft.tripwire.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Needs;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Nic;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two network namespaces with nothing between them but a TUN device each and CLAN: a real TCP transfer between two processes. Needs root,
 * {@code ip} and /dev/net/tun, else it is skipped.
 */
@Tag("jvms")
class TunNamespacesTest {
  private static final String OWN = Long.toString(ProcessHandle.current().pid() % 100_000);
  private static final String NS_HERE = "weft-c" + OWN;
  private static final String NS_THERE = "weft-d" + OWN;
  private static final String DEV_HERE = "wfc" + OWN;
  private static final String DEV_THERE = "wfd" + OWN;
  private static final int HERE = 0x0ad60701;
  private static final int THERE = 0x0ad60702;
  private static final int PORT = 5001;

  private final List<AutoCloseable> open = new ArrayList<>();

  private record Ran(int exitCode, String output) {}

  private static Ran system(String command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new Ran(127, "it is not installed");
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(90, TimeUnit.SECONDS), command);
    return new Ran(process.exitValue(), output.strip());
  }

  private static void must(String command) throws IOException, InterruptedException {
    Ran ran = system(command);
    Needs.that(ran.exitCode() == 0, "there are no network namespaces: '" + command + "' said: " + ran.output() + "; run the tests as root");
  }

  private static TunDevice tun(String name) {
    try {
      return TunDevice.open(name);
    } catch (IOException e) {
      Needs.that(false, "there are no TUN devices: " + e.getMessage() + "; run the tests as root, with /dev/net/tun");
      throw new IllegalStateException(e);
    }
  }

  private TunDevice device(String name, String namespace, String own, String other, int mtu) throws IOException, InterruptedException {
    must("ip netns add " + namespace);
    TunDevice device = tun(name);
    open.add(device);
    must("ip link set dev " + name + " netns " + namespace);
    must("ip -n " + namespace + " link set dev " + name + " mtu " + mtu);
    must("ip -n " + namespace + " address add " + own + " peer " + other + " dev " + name);
    must("ip -n " + namespace + " link set dev " + name + " up");
    return device;
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    system("ip netns del " + NS_HERE);
    system("ip netns del " + NS_THERE);
  }

  private static Process peer(String namespace, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", namespace, System.getProperty("java.home") + "/bin/java", "-Xmx96m",
        "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), TransferPeer.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String line(BufferedReader from, String start) throws IOException {
    String line = from.readLine();
    assertTrue(line != null && line.startsWith(start), "want '" + start + "...', it said '" + line + "'");
    return line.substring(start.length());
  }

  @Test
  @Timeout(180)
  void shouldCarryTcpBetweenTwoNamespaces() throws Exception {
    transfer(1500);
  }

  @Test
  @Timeout(180)
  void shouldCarryTcpInJumboPackets() throws Exception {
    transfer(9000);
  }

  private void transfer(int mtu) throws Exception {
    TunDevice hereTun = device(DEV_HERE, NS_HERE, "10.214.7.1", "10.214.7.2", mtu);
    TunDevice thereTun = device(DEV_THERE, NS_THERE, "10.214.7.2", "10.214.7.1", mtu);
    var config = ConfigFactory.parseString("weft.tripwire.ip.mtu = " + mtu).withFallback(ConfigFactory.load());
    LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
    open.add(fabric);
    Nic here = NicDevice.start(fabric, fabric.addNode("here"));
    Nic there = NicDevice.start(fabric, fabric.addNode("there"));
    ClanIp hereIp = ClanIp.start(here, config, hereTun, Map.of(THERE, "there"));
    open.add(hereIp);
    ClanIp thereIp = ClanIp.start(there, config, thereTun, Map.of(HERE, "here"));
    open.add(thereIp);
    int bytes = 8 << 20;
    Process server = peer(NS_THERE, "serve", Integer.toString(PORT), Integer.toString(bytes / 2));
    open.add(server::destroyForcibly);
    BufferedReader served = server.inputReader();
    line(served, "listening");
    Process client = peer(NS_HERE, "call", "10.214.7.2", Integer.toString(PORT), Integer.toString(bytes));
    open.add(client::destroyForcibly);
    BufferedReader called = client.inputReader();
    String clientSent = line(called, "sent ");
    String serverSent = line(served, "sent ");
    assertEquals(clientSent, line(served, "got "));
    assertEquals(serverSent, line(called, "got "));
    IpCounters.Snapshot counters = thereIp.counters();
    assertTrue(counters.received() >= bytes / mtu, "the bytes came over CLAN: " + counters);
    assertTrue(there.inspect().counters().bytesPlaced() > bytes, "and were placed by the NIC");
  }
}
