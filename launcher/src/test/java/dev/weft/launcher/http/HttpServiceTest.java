package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HttpServiceTest {
  /** A cluster of this JVM alone; Artery over TCP needs no media driver. */
  static final Config CLUSTER = ConfigFactory.parseString("""
      akka {
        actor { provider = cluster, allow-java-serialization = off }
        remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
        cluster { jmx.enabled = off, roles = ["fabric"], downing-provider-class = "akka.cluster.sbr.SplitBrainResolverProvider" }
      }
      """);

  private static final HttpSettings DEFAULTS = HttpSettings.from(ConfigFactory.load());

  @Test
  void shouldServeTheClusterRoutesReadOnlyNextToItsOwn() throws Exception {
    try (Bed bed = new Bed(CLUSTER, inspection -> inspection)) {
      JsonNode before = bed.json("/weft/status");
      assertEquals("NotJoined", before.path("cluster").path("selfStatus").asText());
      assertEquals("SELF_NOT_JOINED", before.path("alarms").get(0).path("kind").asText());
      assertEquals(500, bed.get("/ready").status());

      akka.cluster.typed.Cluster cluster = akka.cluster.typed.Cluster.get(bed.fabric.system());
      cluster.manager().tell(akka.cluster.typed.Join.create(cluster.selfMember().address()));
      await(bed, "Up");

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

      StatusReport report = StatusReport.fetch(List.of(bed.http.uri()));
      assertEquals(0, report.exitCode(), report::toText);
      assertEquals("Up", report.members().getFirst().state());
    }
  }

  private static void await(Bed bed, String status) throws Exception {
    long deadlineNs = System.nanoTime() + Duration.ofSeconds(15).toNanos();
    while (!bed.json("/weft/status").path("cluster").path("selfStatus").asText().equals(status)) {
      assertTrue(System.nanoTime() < deadlineNs, "the member did not become " + status + " within 15 s");
      Thread.sleep(20);
    }
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
      HttpSettings allowed = new HttpSettings("0.0.0.0", 0, true, DEFAULTS.askTimeout(), DEFAULTS.idleTimeout(), 1, 1);
      assertEquals("0.0.0.0", allowed.bindAddress().getHostAddress());
    }
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
