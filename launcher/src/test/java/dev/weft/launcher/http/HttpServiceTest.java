package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.cluster.typed.Cluster;
import akka.cluster.typed.Join;
import akka.cluster.typed.Leave;
import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import dev.weft.service.StatusTable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Tag("actor")
@Timeout(180)
class HttpServiceTest {
  /** A cluster of this JVM alone; Artery over TCP needs no media driver. */
  static final Config CLUSTER = ConfigFactory.parseString("""
      akka {
        actor { provider = cluster, allow-java-serialization = off }
        remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
        cluster { jmx.enabled = off, roles = ["fabric"], downing-provider-class = "akka.cluster.sbr.SplitBrainResolverProvider" }
      }
      """);

  private static final Config QUICK = ConfigFactory.parseString("""
      akka.cluster {
        gossip-interval = 100 ms
        leader-actions-interval = 100 ms
        failure-detector { heartbeat-interval = 100 ms, acceptable-heartbeat-pause = 2 s }
      }
      """).withFallback(CLUSTER);

  private static final HttpSettings DEFAULTS = HttpSettings.from(ConfigFactory.load());

  /** The board of a service manager shows the body and nothing else. */
  @Test
  void shouldNameTheProblemWhenAServiceIsNotReady() throws Exception {
    Toy toy = new Toy("toy", "", List.of(), "the wheel of toy one is off", StatusTable.of("Toys", "NAME"));
    for (Config config : List.of(CLUSTER, ConfigFactory.empty())) {
      try (Bed bed = new Bed(config, inspection -> inspection.withServices(Map.of("toy", toy)))) {
        if (config == CLUSTER) {
          form(bed);
        }
        Bed.Answer answer = bed.get("/ready");
        assertEquals(500, answer.status());
        assertTrue(answer.body().contains("the wheel of toy one is off") && !answer.body().contains("not ok"), answer::body);
      }
    }
  }

  @Test
  void shouldServeTheClusterRoutesReadOnlyNextToItsOwn() throws Exception {
    try (Bed bed = new Bed(CLUSTER, inspection -> inspection)) {
      JsonNode before = bed.json("/weft/status");
      assertEquals("NotJoined", before.path("cluster").path("selfStatus").asText());
      assertEquals("SELF_NOT_JOINED", before.path("alarms").get(0).path("kind").asText());
      assertEquals(500, bed.get("/ready").status());

      form(bed);
      JsonNode members = bed.json("/cluster/members");
      assertEquals("Up", members.path("members").get(0).path("status").asText());
      JsonNode seen = bed.json("/weft/status").path("cluster");
      assertEquals(seen.path("self").asText(), seen.path("members").get(0).path("address").asText());
      assertEquals("[\"dc-default\",\"fabric\"]", seen.path("members").get(0).path("roles").toString());
      assertEquals(200, bed.get("/ready").status(), () -> "ready when the member is up and the fabric is");
      bed.ready = false;
      assertEquals(500, bed.get("/ready").status());
      assertEquals(200, bed.get("/alive").status());

      String member = members.path("members").get(0).path("node").asText().replace("akka://", "");
      for (String method : List.of("DELETE", "PUT")) {
        Bed.Answer refused = bed.call(method, "/cluster/members/" + member);
        assertEquals(405, refused.status(), refused::body);
      }
      assertEquals(405, bed.call("POST", "/cluster/members?address=x").status());
      assertEquals(404, bed.get("/elsewhere").status());

      awaitReport(bed, "the member to be up", report -> report.exitCode() == 0 && report.members().getFirst().state().equals("Up"));
    }
  }

  private static void await(Bed bed, String status) {
    Waits.seen("the member to be " + status, () -> bed.get("/weft/status"),
        answer -> answer.status() == 200 && answer.json().path("cluster").path("selfStatus").asText().equals(status));
  }

  @Test
  void shouldSayThatThePortIsTaken() throws Exception {
    try (Bed bed = new Bed(); ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpStartException refused = assertThrows(HttpStartException.class, () -> start(bed,
          DEFAULTS.at("127.0.0.1", taken.getLocalPort())));
      assertTrue(refused.getMessage().contains("127.0.0.1:" + taken.getLocalPort()), refused::getMessage);
      assertTrue(refused.getMessage().contains("already in use"), refused::getMessage);
      assertTrue(refused.getMessage().contains("weft.http.port"), refused::getMessage);
    }
  }

  @Test
  void shouldRefuseToListenBeyondLoopbackUnlessAllowed() throws Exception {
    try (Bed bed = new Bed()) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> start(bed, DEFAULTS.at("0.0.0.0", 0)));
      assertTrue(refused.getMessage().contains("allow-remote"), refused::getMessage);
      start(bed, DEFAULTS.at("localhost", 0)).close();
      HttpSettings allowed = new HttpSettings("0.0.0.0", 0, true, true, HttpAccess.NONE, DEFAULTS.askTimeout(), DEFAULTS.headerTimeout(),
          DEFAULTS.idleTimeout(), 1, 1);
      assertEquals("0.0.0.0", allowed.bindAddress().getHostAddress());
    }
  }

  @Test
  void shouldRefuseRequestsThatNameAnotherHost() throws Exception {
    try (Bed bed = new Bed()) {
      for (String path : List.of("/weft/status", "/alive")) {
        assertTrue(raw(bed, path, "evil.example").startsWith("HTTP/1.1 403 "), path);
        assertTrue(raw(bed, path, "127.0.0.1.evil.example").startsWith("HTTP/1.1 403 "), path);
        assertTrue(raw(bed, path, "LocalHost:1").startsWith("HTTP/1.1 200 "), path);
        assertTrue(raw(bed, path, "[::1]:1").startsWith("HTTP/1.1 200 "), path);
      }
    }
  }

  private static String raw(Bed bed, String path, String host) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.http.uri().getPort())) {
      String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldReportElementsThatDoNotAnswer() throws Exception {
    try (Bed bed = new Bed(ConfigFactory.parseString("weft.http.ask-timeout = 200 ms"), inspection -> inspection)) {
      CountDownLatch blocked = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      bed.fabric.dispatcher().execute(() -> {
        blocked.countDown();
        try {
          release.await(90, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      });
      assertTrue(blocked.await(90, TimeUnit.SECONDS));
      try {
        JsonNode status = bed.json("/weft/status");
        assertEquals(List.of("HCA_SILENT", "HCA_SILENT", "SWITCH_SILENT"), status.path("alarms").findValuesAsText("kind"));
        assertEquals(List.of("a", "b"), status.path("nodes").findValuesAsText("name"));
        Bed.Answer hca = bed.get("/weft/nodes/a/hca");
        assertEquals(503, hca.status());
        assertTrue(hca.body().contains("the HCA of node a did not answer within 200 ms"), hca::body);
        StatusReport report = StatusReport.fetch(List.of(bed.http.uri()));
        assertEquals(1, report.exitCode());
        assertTrue(report.toText().contains("silent"), report::toText);
      } finally {
        release.countDown();
      }
      // A slow machine may be silent for 200 ms once more.
      Waits.seen("no alarms", () -> bed.json("/weft/status"), now -> now.path("alarmCount").asInt() == 0);
    }
  }

  @Test
  void shouldShowAMemberThatLeftAsRemoved() throws Exception {
    try (Bed one = new Bed(QUICK, inspection -> inspection)) {
      Cluster first = form(one);
      String gone;
      try (Bed two = new Bed(QUICK, inspection -> inspection)) {
        Cluster second = join(two, first);
        gone = address(second);
        Waits.seen("two members that both see", () -> StatusReport.fetch(List.of(one.http.uri(), two.http.uri())).members(),
            members -> members.size() == 2 && members.stream().allMatch(member -> member.seenBy() == 2));
        second.manager().tell(Leave.create(second.selfMember().address()));
        two.fabric.system().getWhenTerminated().toCompletableFuture().get(90, TimeUnit.SECONDS);
      }
      await(one, gone, "Removed", 0);
    }
  }

  @Test
  void shouldShowAMemberThatDiedAsUnreachable() throws Exception {
    Config mortal = ConfigFactory.parseString("akka.coordinated-shutdown.run-by-actor-system-terminate = off").withFallback(QUICK);
    try (Bed one = new Bed(mortal, inspection -> inspection)) {
      Cluster first = form(one);
      Bed two = new Bed(mortal, inspection -> inspection);
      String dead;
      try {
        dead = address(join(two, first));
      } finally {
        two.close();
      }
      StatusReport report = await(one, dead, "Unreachable", 1);
      assertTrue(report.toText().contains("MEMBER_UNREACHABLE"), report::toText);
    }
  }

  private static Cluster form(Bed bed) throws Exception {
    return join(bed, Cluster.get(bed.fabric.system()));
  }

  private static Cluster join(Bed bed, Cluster other) throws Exception {
    Cluster cluster = Cluster.get(bed.fabric.system());
    cluster.manager().tell(Join.create(other.selfMember().address()));
    await(bed, "Up");
    return cluster;
  }

  private static String address(Cluster cluster) {
    return cluster.selfMember().address().hostPort().replaceFirst(".*@", "");
  }

  /** Asks {@code bed} until it shows the member in that state, and the report has that exit code. */
  private static StatusReport await(Bed bed, String member, String state, int exitCode) {
    return awaitReport(bed, member + " to be " + state, report -> report.exitCode() == exitCode
        && report.members().stream().anyMatch(seen -> seen.address().equals(member) && seen.state().equals(state)));
  }

  private static StatusReport awaitReport(Bed bed, String what, Predicate<StatusReport> isWanted) {
    AtomicReference<StatusReport> last = new AtomicReference<>();
    Waits.until(what, () -> {
      last.set(StatusReport.fetch(List.of(bed.http.uri())));
      return isWanted.test(last.get());
    }, () -> last.get().toText());
    return last.get();
  }

  @Test
  void shouldRefuseSettingsOutOfRange() {
    for (String bad : List.of("host = \" \"", "port = 65536", "ask-timeout = 0 s", "idle-timeout = 2 h", "connections-max = 0",
        "list-max = 0")) {
      Config config = ConfigFactory.parseString("weft.http { " + bad + " }").withFallback(ConfigFactory.load());
      IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> HttpSettings.from(config));
      assertTrue(refused.getMessage().contains("weft.http." + bad.split(" ")[0]), refused::getMessage);
    }
  }

  @Test
  void shouldRefuseSectionNamesThatHideARoute() throws Exception {
    try (Bed bed = new Bed()) {
      Inspection plain = inspection(bed);
      for (String bad : List.of("status", "nodes", "Pager", "a/b", "")) {
        assertThrows(IllegalArgumentException.class, () -> plain.withSection(bad, () -> 1), bad);
      }
      assertThrows(IllegalArgumentException.class, () -> plain.withTrunks(List::of).withTrunks(List::of));
    }
  }

  @Test
  void shouldFreeThePortWhenClosed() throws Exception {
    try (Bed bed = new Bed()) {
      HttpService first = start(bed, DEFAULTS.at("127.0.0.1", 0));
      int port = first.uri().getPort();
      first.close();
      HttpService second = start(bed, DEFAULTS.at("127.0.0.1", port));
      assertEquals(port, second.uri().getPort());
      second.close();
    }
  }

  private static Inspection inspection(Bed bed) {
    return Inspection.of("local", () -> bed.nodes, bed.fabric.leafSwitch(), bed.fabric.directory(), bed.fabric.dispatcher());
  }

  private static HttpService start(Bed bed, HttpSettings settings) throws Exception {
    return HttpService.start(bed.fabric.system(), inspection(bed), () -> true, settings);
  }
}
