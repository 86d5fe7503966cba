package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.NodeLink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.agrona.IoUtil;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two addresses of the loopback network and a media driver for each, as on two hosts: the trunk between them is UDP. */
@Timeout(600)
@Tag("jvms")
class TwoLoopbackHostsTest {
  private static final String HERE = "127.0.0.1";
  private static final String THERE = "127.0.0.2";

  @TempDir private Path directory;

  @BeforeAll
  static void needQemuIo() {
    TwoHosts.needQemuIo();
  }

  @Test
  @Tag("long") // TwoNamespacesTest has it in every run, where there is root.
  void shouldServeTheMemoryOfAnotherHost() throws Exception {
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(), directory)) {
      String said = hosts.up(HERE);
      assertTrue(!said.contains("Warning"), said);
      hosts.writeAndRead(hosts.join(THERE));
      hosts.bothAreShown(HERE, THERE);
      hosts.downEndsBoth();
    }
  }

  /** The media drivers lose one received datagram in fifty, by Aeron's own test equipment. */
  @Test
  void shouldServeTheMemoryOfAnotherHostWhilePacketsAreLost() throws Exception {
    String lossy = "-Daeron.ReceiveChannelEndpoint.supplier=io.aeron.driver.ext.DebugReceiveChannelEndpointSupplier"
        + " -Daeron.debug.receive.data.loss.rate=0.02 -Daeron.debug.receive.data.loss.seed=4711";
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(List.of(), lossy), new WeftProcess(List.of(), lossy), directory)) {
      hosts.up(HERE);
      hosts.writeAndRead(hosts.join(THERE));
      assertTrue(MediaDriverOf.retransmits(hosts.here()) > 0 && MediaDriverOf.retransmits(hosts.there()) > 0, "packets were lost");
    }
  }

  @Test
  void shouldLetOnlyJvmsJoinThatKnowTheSecret() throws Exception {
    Path secret = directory.resolve("own-secret");
    Files.writeString(secret, "0123456789abcdef".repeat(4) + "\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(), directory)) {
      String said = hosts.up(HERE, "--jvms=2", "--secret-file=" + secret);
      assertTrue(said.contains("Secret   " + secret), said);
      hosts.refusesWhoDoesNotKnowTheSecret(THERE, secret);
      refusesWhoGoesPastTheDesk(hosts);
      hosts.writeAndRead(hosts.join(THERE, "--secret-file=" + secret));
      hosts.downEndsBoth();
    }
  }

  /** A JVM that does not ask for admission has no key: the media driver rejects its datagrams and counts them. */
  private void refusesWhoGoesPastTheDesk(TwoHosts hosts) throws Exception {
    long before = rejected(hosts.here());
    Path driver = Files.createTempDirectory(Path.of("/dev/shm"), "weft-stranger-");
    MediaDriverSettings settings = MediaDriverSettings.of(ConfigFactory.load()).withDirectory(driver.resolve("driver"));
    try (ClusterFabric stranger = ClusterFabric.start(new ClusterFabric.Place(THERE, 0, List.of(hosts.here().address()), List.of("memory"),
        settings, NodeLink.DIRECT, reason -> {}), ConfigFactory.load())) {
      Waits.seen("the rejected datagrams in HTTP inspection", () -> rejected(hosts.here()), count -> count > before + 20);
      assertEquals(MemberStatus.removed(), Cluster.get(stranger.system()).selfMember().status(), "not a member yet");
      hosts.here().awaitJson("two JVMs", status -> status.path("jvms").size() == 2);
    } finally {
      IoUtil.delete(driver.toFile(), true);
    }
  }

  private static long rejected(WeftProcess weft) throws Exception {
    return weft.get("/weft/media-driver").findValue("counters").propertyStream().filter(counter -> counter.getKey().startsWith("Sealed datagrams: rejected"))
        .mapToLong(counter -> counter.getValue().asLong()).sum();
  }

  @Test
  void shouldTellAJvmWithASecretThatTheFabricHasNone() throws Exception {
    Path secret = directory.resolve("own-secret");
    Files.writeString(secret, "0123456789abcdef".repeat(4) + "\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(), directory)) {
      hosts.up(HERE);
      assertTrue(!Files.exists(hosts.here().stateDirectory().resolve("secret")), "loopback needs none");
      WeftProcess.Answer answer = hosts.there().run("join", hosts.here().address(), "--memory=1M", "--bind=" + THERE, "--secret-file=" + secret);
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().contains("has no secret, so it cannot prove that it is yours; omit --secret-file"), answer.err());
    }
  }

  @Test
  void shouldTellAJvmWithOtherSettingsWhatWouldBeRight() throws Exception {
    try (TwoHosts hosts = new TwoHosts(new WeftProcess(), new WeftProcess(List.of(), "-Dweft.fabric.switch.virtual-lanes=8"), directory)) {
      hosts.up(HERE);
      WeftProcess.Answer answer = hosts.there().run("join", hosts.here().address(), "--memory=1M", "--bind=" + THERE);
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().contains("weft: weft.fabric.switch.virtual-lanes is 4 in the fabric and 8 here; set it to 4"), answer.err());
    }
  }

  /** 192.0.2.0/24 is for documentation: nobody has it. */
  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "up --bind=192.0.2.1                          | --bind 192.0.2.1 is not an address of this host; choose one of ",
      "up --bind=0.0.0.0                            | other hosts cannot reach this host at it; choose one of ",
      "up --bind=no-such-host.invalid               | this host cannot resolve that name; choose one of ",
      "up --bind=::1                                | is not an IPv4 address; choose one of ",
      "join 127.0.0.1:25999 --bind=192.0.2.1        | --bind 192.0.2.1 is not an address of this host; choose one of ",
      "join 127.0.0.1:9 --memory=1M                 | no fabric listens at 127.0.0.1:9; './weft status' on its host shows its address",
      "join no-such-host.invalid:25520 --memory=1M  | this host cannot resolve the name 'no-such-host.invalid'"})
  void shouldSayWhatWouldBeRightAboutAddresses(String line, String expected) throws Exception {
    try (WeftProcess weft = new WeftProcess()) {
      WeftProcess.Answer answer = weft.run(line.split(" +"));
      assertEquals(1, answer.exitCode(), answer.out() + answer.err());
      assertTrue(answer.err().startsWith("weft: ") && answer.err().contains(expected), answer.err());
      assertEquals(1, answer.err().lines().count(), answer.err());
    }
  }
}
