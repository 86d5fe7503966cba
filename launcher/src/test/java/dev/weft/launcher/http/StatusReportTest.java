package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.subnet.TrunkSnapshot;
import dev.weft.fabric.trunk.TrunkCable;
import dev.weft.fabric.trunk.TrunkReceiver;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.service.Alarm;
import dev.weft.service.StatusTable;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class StatusReportTest {
  /** The service whose name a jar of the class path has; its version is shown. */
  private static final String SERVICE = "pager";

  private static URI closedPort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort());
    }
  }

  @Test
  void shouldNotCallAServiceHealthyThatAlarms() throws Exception {
    for (Alarm.Severity severity : Alarm.Severity.values()) {
      Alarm alarm = new Alarm(severity, "TOY_BROKEN", SERVICE, "the wheel of toy one is off");
      Toy toy = new Toy(SERVICE, Map.of("toys", List.of("one")), List.of(alarm), null,
          StatusTable.of("Toys", "NAME", ">SIZE", "STATE").row("one", StatusTable.bytes(2 << 20), "broken"));
      try (Bed bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(Map.of(SERVICE, toy)))) {
        StatusReport report = StatusReport.fetch(List.of(bed.http.uri()));
        assertEquals(severity == Alarm.Severity.ERROR ? 1 : 0, report.exitCode(), severity.name());
        assertTrue(report.toText().matches("(?s).*Toys\\n.*\\n  one +local +2\\.0 MiB +broken\\n.*"), report.toText());
        assertTrue(report.toText().matches("(?s).*\\n  " + severity + " +TOY_BROKEN +local +pager +the wheel of toy one is off\\n.*"), report.toText());
        JsonNode toys = Json.MAPPER.readTree(report.toJson()).path("jvms").path(0).path(SERVICE).path("toys");
        assertEquals("one", toys.path(0).asText());
      }
    }
  }

  @Test
  void shouldPutTheRowsOfAllJvmsIntoOneTable() throws Exception {
    List<Bed> beds = new ArrayList<>();
    try {
      for (String name : List.of("one", "two")) {
        Toy toy = new Toy(SERVICE, name, List.of(), null, StatusTable.of("Toys", "NAME", ">SIZE").row(name, 7));
        beds.add(new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(Map.of(SERVICE, toy))));
      }
      String text = StatusReport.fetch(beds.stream().map(bed -> bed.http.uri()).toList()).toText();
      assertTrue(text.contains("Toys\n  NAME  JVM    SIZE\n  one   local     7\n  two   local     7\n"), text);
    } finally {
      beds.forEach(Bed::close);
    }
  }

  @Test
  void shouldShowAHealthyJvmWithItsNodesAndDevices() throws Exception {
    Toy toy = new Toy(SERVICE, Map.of("toys", List.of("one")), List.of(), null,
        StatusTable.of("Toys", "NAME", ">SIZE").row("one", StatusTable.bytes(300L << 20)));
    try (Bed bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(Map.of(SERVICE, toy)))) {
      bed.a.write(bed.b, 20_000);
      StatusReport report = StatusReport.fetch(List.of(bed.http.uri(), URI.create(bed.http.uri() + "/weft/")));
      assertEquals(1, report.jvms().size(), "the same JVM twice is one");
      assertEquals(StatusReport.Health.HEALTHY, report.health());
      assertEquals(0, report.exitCode());
      String text = report.toText();
      assertTrue(text.startsWith("HEALTHY: 1 of 1 JVM answered\n"), text);
      assertTrue(text.matches("(?s).*\\n  a +local +1 +up +1 RTS +1 +1 +64\\.0 KiB .*"), text);
      assertTrue(text.matches("(?s).*Toys\\n.*\\n  one +local +300 MiB\\n.*"), text);
      assertFalse(text.contains("Alarms\n"), text);
      assertFalse(text.contains("Cluster members"), text);

      JsonNode json = Json.MAPPER.readTree(report.toJson());
      assertEquals("HEALTHY", json.path("health").asText());
      assertEquals(0, json.path("exitCode").asInt());
      assertEquals("one", json.path("jvms").get(0).path(SERVICE).path("toys").get(0).asText());
      assertEquals("[{\"name\":\"pager\",\"version\":\"1\"}]", json.path("jvms").get(0).path("status").path("services").toString());
      assertTrue(json.path("jvms").get(0).path("status").path("totals").path("bytesSent").asLong() >= 20_000);
    }
  }

  @Test
  void shouldShowTheTrunksAndTheirCopies() throws Exception {
    TrunkSnapshot trunk = new TrunkSnapshot("10.0.0.2:25520", 9, true, true, 1024,
        new TrunkCable.Counters(100, 30_000, 3, 20_480, 7, 1, 2, 0, 0, 5), new TrunkReceiver.Counters(50, 10_240, 3, 4, 0));
    try (Bed bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withTrunks(() -> List.of(trunk)))) {
      bed.a.write(bed.b, 20_480);
      String text = StatusReport.fetch(List.of(bed.http.uri())).toText();
      assertTrue(text.matches(
          "(?s).*Trunks\\n.*\\n  local +10\\.0\\.0\\.2:25520 +9 +UDP +up +29\\.3 KiB +10\\.0 KiB +20\\.0 KiB +7 +5 +10\\n.*"), text);
      assertTrue(text.contains("\nCopies of each payload byte: 2.00\n"), text);
    }
  }

  @Test
  void shouldReportAJvmThatDoesNotAnswerNextToOneThatDoes() throws Exception {
    URI nobody = closedPort();
    try (Bed bed = new Bed()) {
      StatusReport report = StatusReport.fetch(List.of(nobody, bed.http.uri()));
      assertEquals(1, report.exitCode());
      assertFalse(report.jvms().get(0).reachable());
      assertTrue(report.jvms().get(1).reachable());
      String text = report.toText();
      assertTrue(text.startsWith("DEGRADED: 1 of 2 JVMs answered\n"), text);
      assertTrue(text.contains(nobody + ": no program listens there"), text);
      assertTrue(Json.MAPPER.readTree(report.toJson()).path("jvms").get(0).path("status").isNull());
    }
  }

  @Test
  void shouldBeDegradedWhenThereIsAnError() throws Exception {
    try (Bed bed = new Bed()) {
      Bed.Side side = new Bed.Side(bed.b.node);
      side.fail();
      StatusReport report = StatusReport.fetch(List.of(bed.http.uri()));
      assertEquals(StatusReport.Health.DEGRADED, report.health());
      assertTrue(report.toText().matches("(?s).*\\n  ERROR +QP_ERR +local +nodes/b/qps/" + side.qp.qpNum() + " +queue pair .*"),
          report.toText());
    }
  }

  @Test
  void shouldStayHealthyWhenAConnectionEndsInOrder() throws Exception {
    try (Bed bed = new Bed()) {
      bed.b.qp.modify(new QpAttr().state(QpState.ERR));
      StatusReport report = StatusReport.fetch(List.of(bed.http.uri()));
      assertEquals(StatusReport.Health.HEALTHY, report.health(), report::toText);
      assertTrue(report.toText().matches("(?s).*\\n  WARNING +QP_ERR +local +nodes/b/qps/" + bed.b.qp.qpNum() + " +queue pair .*"),
          report.toText());
    }
  }

  @Test
  void shouldBeSilentWhenNobodyAnswersAsWeft() throws Exception {
    HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext("/", exchange -> {
      byte[] body = "<html>hello</html>".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(exchange.getRequestURI().getPath().startsWith("/json") ? 404 : 200, body.length);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(body);
      }
    });
    other.start();
    try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String html = "http://127.0.0.1:" + other.getAddress().getPort();
      StatusReport report = StatusReport.fetch(List.of(URI.create(html), URI.create(html + "/json")), Duration.ofSeconds(20));
      assertEquals(3, report.exitCode());
      assertTrue(report.jvms().get(0).problem().contains("not JSON"), report::toText);
      assertTrue(report.jvms().get(1).problem().contains("HTTP status 404"), report::toText);
      assertTrue(report.toText().startsWith("SILENT: 0 of 2"), report::toText);
      StatusReport silent = StatusReport.fetch(List.of(URI.create("http://127.0.0.1:" + mute.getLocalPort())), Duration.ofMillis(500));
      assertEquals(4, silent.exitCode(), "somebody is there, so nobody may take it for dead");
      assertTrue(silent.toText().startsWith("BUSY: 0 of 1"), silent::toText);
      assertEquals("no complete answer within 500 ms", silent.jvms().getFirst().problem());
    } finally {
      other.stop(0);
    }
  }

  @Test
  void shouldNotWaitForAnAnswerThatStopsInTheMiddle() throws Exception {
    HttpServer slow = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    CountDownLatch release = new CountDownLatch(1);
    slow.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 100);
      exchange.getResponseBody().write('{');
      exchange.getResponseBody().flush();
      try {
        release.await(90, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    slow.start();
    try {
      StatusReport report = StatusReport.fetch(
          List.of(URI.create("http://127.0.0.1:" + slow.getAddress().getPort())), Duration.ofMillis(300));
      assertEquals("no complete answer within 300 ms", report.jvms().getFirst().problem());
      assertEquals(4, report.exitCode());
    } finally {
      release.countDown();
      slow.stop(0);
    }
  }

  @Test
  void shouldRefuseWhatIsNotABaseUrl() {
    for (String bad : List.of("127.0.0.1:8558", "ftp://h", "http:///x", "http://h/?x=1")) {
      IllegalArgumentException refused =
          assertThrows(IllegalArgumentException.class, () -> StatusReport.fetch(List.of(URI.create(bad.replaceFirst("^127", "h127")))));
      assertTrue(refused.getMessage().contains("http://127.0.0.1:8558"), refused::getMessage);
    }
    assertThrows(IllegalArgumentException.class, () -> StatusReport.fetch(List.of()));
  }

  @Test
  void shouldPutTheClusterTogetherFromSeveralViews() throws Exception {
    StatusReport report = new StatusReport(List.of(
        jvm("one", """
            {"members":[{"address":"h:1","status":"Up","unreachable":false,"roles":["x"]},
                        {"address":"h:2","status":"Up","unreachable":true,"roles":[]},
                        {"address":"h:3","status":"Up","unreachable":false,"roles":[]}],
             "removed":[{"address":"h:9","uid":1},{"address":"h:3","uid":1}]}"""),
        jvm("two", """
            {"members":[{"address":"h:1","status":"Leaving","unreachable":false,"roles":["x"]},
                        {"address":"h:2","status":"Up","unreachable":false,"roles":[]},
                        {"address":"h:4","status":"Down","unreachable":true,"roles":["program"]}],
             "removed":[]}""")), List.of());
    List<StatusReport.MemberReport> members = MemberMerge.of(report.jvms());
    assertEquals(List.of(
        new StatusReport.MemberReport("h:1", "Leaving", List.of("x"), 2, List.of()),
        new StatusReport.MemberReport("h:2", "Unreachable", List.of(), 2, List.of("one")),
        new StatusReport.MemberReport("h:3", "Up", List.of(), 1, List.of()),
        new StatusReport.MemberReport("h:4", "Down", List.of("program"), 1, List.of("two")),
        new StatusReport.MemberReport("h:9", "Removed", List.of(), 0, List.of())), members);
    StatusReport merged = new StatusReport(report.jvms(), members);
    assertEquals(1, merged.exitCode());
    assertTrue(merged.toText().contains("  h:2      Unreachable"), merged::toText);
    assertTrue(merged.toText().matches("(?s).*\n  h:4 +- +program .*"), merged::toText);
  }

  private static StatusReport.JvmReport jvm(String name, String cluster) throws Exception {
    JsonNode status = Json.MAPPER.readTree("{\"jvm\":{\"name\":\"" + name + "\"},\"nodes\":[],\"cluster\":" + cluster + "}");
    return new StatusReport.JvmReport(URI.create("http://" + name), true, false, "", status, null, Map.of());
  }

  @Test
  void shouldWriteSizesAndTimesShortly() {
    assertEquals("0 B", StatusTable.bytes(0));
    assertEquals("1023 B", StatusTable.bytes(1023));
    assertEquals("1.5 KiB", StatusTable.bytes(1536));
    assertEquals("300 MiB", StatusTable.bytes(300L << 20));
    assertEquals("8.0 EiB", StatusTable.bytes(Long.MAX_VALUE));
    assertEquals("59s", StatusText.uptime(59_999));
    assertEquals("1m0s", StatusText.uptime(60_000));
    assertEquals("2h5m", StatusText.uptime(7_500_000));
    assertEquals("1d1h", StatusText.uptime(90_000_000));
  }
}
