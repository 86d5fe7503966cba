package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("actor")
@Timeout(180)
class InspectionRoutesTest {
  private static Bed bed;

  /** A section that would give keys away. */
  private record Careless(String name, int rkey, Map<String, Object> inner, List<Careless> more) {}

  @BeforeAll
  static void startFabric() throws Exception {
    bed = new Bed(ConfigFactory.parseString("weft.http.ask-timeout = 500 ms"), inspection -> inspection
        .withVersion("1.2.3")
        .withTrunks(() -> CompletableFuture.completedFuture(List.of()))
        .withSection("careless", () -> new Careless("c", 77, Map.of("l_key", 1, "lkey", 2, "open", 3),
            List.of(new Careless("d", 78, Map.of(), List.of()))))
        .withSection("broken", () -> {
          throw new IllegalStateException("no disk");
        })
        .withSection("stuck", CompletableFuture::new));
    bed.a.write(bed.b, 5000);
  }

  @AfterAll
  static void stopFabric() {
    bed.close();
  }

  @Test
  void shouldListItsRoutes() throws Exception {
    JsonNode index = bed.json("/weft");
    List<String> routes = new ArrayList<>();
    index.path("routes").forEach(route -> routes.add(route.asText()));
    assertTrue(routes.containsAll(List.of("/weft/status", "/weft/nodes/{name}/qps", "/weft/trunks", "/weft/careless", "/weft/capture")), routes::toString);
    assertEquals(index, bed.json("/weft/"));
  }

  @Test
  void shouldAnswerEveryRouteOfTheIndexWithJson() throws Exception {
    for (JsonNode route : bed.json("/weft").path("routes")) {
      String path = route.asText().replace("{name}", "a").replace("qps/{number}", "qps/" + bed.a.qp.qpNum())
          .replace("cqs/{number}", "cqs/" + bed.a.cq.number()).replace("ports/{number}", "ports/1");
      if (!path.endsWith("/broken") && !path.endsWith("/stuck") && !path.equals(CaptureRoute.ROUTE)
          && !path.startsWith("/weft/nics/")) { // NicRoutesTest has NICs, CaptureRouteTest captures.
        Bed.Answer answer = bed.get(path);
        assertEquals(200, answer.status(), path + " " + answer.body());
        assertEquals("application/json", answer.response().headers().firstValue("content-type").orElseThrow());
        assertTrue(answer.json().isContainerNode(), path);
      }
    }
  }

  @Test
  void shouldBeDocumentedRouteByRoute() throws Exception {
    String manual = Files.readString(Path.of(System.getProperty("weft.root"), "docs", "reference", "http.md"));
    Set<String> ofThisTest = Set.of("/weft/broken", "/weft/stuck", "/weft/careless");
    for (JsonNode route : bed.json("/weft").path("routes")) {
      assertTrue(ofThisTest.contains(route.asText()) || manual.contains("`" + route.asText() + "`"),
          route.asText() + " is missing in docs/reference/http.md");
    }
  }

  @Test
  void shouldSummarizeTheJvm() throws Exception {
    JsonNode status = bed.json("/weft/status");
    assertEquals("1.2.3", status.path("version").asText());
    assertEquals("local", status.path("jvm").path("name").asText());
    assertEquals(ProcessHandle.current().pid(), status.path("jvm").path("pid").asLong());
    assertTrue(status.path("cluster").isNull());
    JsonNode totals = status.path("totals");
    assertEquals(2, totals.path("nodes").asInt());
    assertEquals(2, totals.path("fabricNodes").asInt());
    assertEquals(2, totals.path("switchPorts").asInt());
    assertTrue(totals.path("bytesSent").isIntegralNumber());
    assertTrue(totals.path("bytesSent").asLong() >= 5000);
    assertEquals(List.of("a", "b"), status.path("nodes").findValuesAsText("name"));
    assertTrue(status.path("nodes").get(0).path("linkUp").asBoolean());
  }

  @Test
  void shouldKeepTheOrderOfKeys() throws Exception {
    List<String> names = new ArrayList<>();
    bed.json("/weft/status").fieldNames().forEachRemaining(names::add);
    assertEquals(List.of("version", "jvm", "cluster", "totals", "nodes", "alarmCount", "alarms", "sections", "services", "tables"), names);
  }

  @Test
  void shouldShowTheConnectionManagerAndWhatTheNodeWatches() throws Exception {
    bed.b.node.cm().listen("shown", request -> {});
    JsonNode cm = bed.json("/weft/nodes/b/cm");
    assertEquals("[\"shown\"]", cm.path("services").toString());
    assertEquals(0, cm.path("connections").path("total").asInt());
    assertEquals(0, cm.path("unknownMessages").asInt(-1));
    JsonNode elements = bed.json("/weft/nodes/b/elements");
    assertEquals(List.of("hca", "cm"), elements.path("items").findValuesAsText("name"));
    assertTrue(elements.path("items").get(0).path("failure").isNull());
    bed.b.node.cm().unlisten("shown");
  }

  @Test
  void shouldShowAQueuePair() throws Exception {
    JsonNode all = bed.json("/weft/nodes/a/qps");
    assertTrue(all.path("total").asInt() >= 1);
    JsonNode qp = bed.json("/weft/nodes/a/qps/" + bed.a.qp.qpNum());
    assertEquals(bed.a.qp.qpNum(), qp.path("number").asInt());
    assertEquals("RTS", qp.path("state").asText());
    assertEquals(bed.b.node.hca().lid(), qp.path("destLid").asInt());
    assertEquals(bed.b.qp.qpNum(), qp.path("destQpNum").asInt());
    assertEquals(64, qp.path("sendQueueMax").asInt());
  }

  @Test
  void shouldShowTheHcaOfANode() throws Exception {
    JsonNode hca = bed.json("/weft/nodes/b/hca");
    assertEquals("b", hca.path("node").asText());
    assertTrue(hca.path("counters").path("bytesPlaced").asLong() >= 5000, hca::toString);
    assertEquals(1, hca.path("memoryRegions").path("total").asInt());
    JsonNode mr = hca.path("memoryRegions").path("items").get(0);
    assertEquals(Bed.BUFFER, mr.path("length").asLong());
    assertEquals(bed.b.mr.addr(), mr.path("addr").asLong());
    assertEquals(mr, bed.json("/weft/nodes/b/mrs").path("items").get(0));
    assertEquals(256, bed.json("/weft/nodes/b/cqs/" + bed.b.cq.number()).path("capacity").asInt());
  }

  @Test
  void shouldShowTheSwitchAndTheDispatcher() throws Exception {
    JsonNode leaf = bed.json("/weft/switch");
    assertEquals(2, leaf.path("ports").size());
    assertEquals(2, leaf.path("routes").path("total").asInt());
    JsonNode port = bed.json("/weft/switch/ports/1");
    assertEquals("a", port.path("port").path("name").asText());
    assertTrue(port.path("port").path("packetsIn").asLong() > 0);
    assertEquals(bed.a.node.hca().lid(), port.path("routedLids").get(0).asInt());
    assertTrue(bed.json("/weft/dispatcher").path("tasksRun").asLong() > 0);
    JsonNode entry = bed.json("/weft/directory").path("items").get(1);
    assertEquals("b", entry.path("name").asText());
    assertEquals("/user/b/cm", entry.path("cm").asText());
  }

  @Test
  void shouldCutLists() throws Exception {
    JsonNode page = bed.json("/weft/nodes?offset=1&limit=1");
    assertEquals(2, page.path("total").asInt());
    assertEquals(1, page.path("offset").asInt());
    assertEquals(List.of("b"), page.path("items").findValuesAsText("name"));
    assertEquals(0, bed.json("/weft/nodes?offset=99").path("items").size());
    assertTrue(bed.get("/weft/nodes?pretty").body().contains("\n  \"total\" : 2"));
  }

  @Test
  void shouldRefuseABadQuery() throws Exception {
    assertRefused(400, bed.get("/weft/nodes?limit=many"), "limit is \"many\"", "from 0 to 1000");
    assertRefused(400, bed.get("/weft/nodes?offset=-1"), "offset is \"-1\"", "from 0");
    assertRefused(400, bed.get("/weft/nodes?size=1"), "unknown parameter size", "offset, limit and pretty");
  }

  @Test
  void shouldSayWhatExistsWhenAskedForWhatDoesNot() throws Exception {
    assertRefused(404, bed.get("/weft/nodes/c"), "no node c", "nodes here: [a, b]");
    assertRefused(404, bed.get("/weft/nodes/a/qps/99999"), "no queue pair 99999 at a", "" + bed.a.qp.qpNum());
    assertRefused(404, bed.get("/weft/nodes/a/qps/one"), "no queue pair one", "there ");
    assertRefused(404, bed.get("/weft/nodes/a/wheels"), "/weft/nodes/a/wheels", "a node has hca, qps");
    assertRefused(404, bed.get("/weft/nodes/a/qps/1/2"), "/weft/nodes/a/qps/1/2", "a node has");
    assertRefused(404, bed.get("/weft/switch/ports/9"), "no port 9 at the leaf switch", "there are 1, 2");
    assertRefused(404, bed.get("/weft/switch/lanes"), "/weft/switch/lanes", "ports/{number}");
    assertRefused(404, bed.get("/weft/status/x"), "/weft/status/x", "nothing below");
    assertRefused(404, bed.get("/weft/nowhere"), "/weft/nowhere", "/weft/status");
    assertRefused(404, bed.get("/elsewhere"), "/elsewhere", "/weft, /alive, /ready");
    assertRefused(404, bed.get("/weft/%2e%2e%2fetc"), "../etc", "/weft/status");
  }

  @Test
  void shouldOnlyRead() throws Exception {
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH", "OPTIONS")) {
      for (String path : List.of("/weft", "/weft/status", "/weft/nodes/a", "/weft/nowhere", "/alive")) {
        Bed.Answer answer = bed.call(method, path);
        assertRefused(405, answer, method + " is not possible on " + path, "use GET");
        assertEquals("GET, HEAD", answer.response().headers().firstValue("allow").orElseThrow());
      }
    }
    Bed.Answer head = bed.call("HEAD", "/weft/status");
    assertEquals(200, head.status());
    assertEquals("", head.body());
  }

  @Test
  void shouldGiveNoKeyAway() throws Exception {
    int key = bed.b.mr.rkey();
    for (JsonNode route : bed.json("/weft").path("routes")) {
      String path = route.asText().replace("{name}", "b").replace("qps/{number}", "qps/" + bed.b.qp.qpNum())
          .replace("cqs/{number}", "cqs/" + bed.b.cq.number()).replace("ports/{number}", "ports/2");
      if (path.startsWith("/weft/nics/") || path.equals(CaptureRoute.ROUTE)) {
        continue; // NicRoutesTest has NICs; packets have keys.
      }
      JsonNode answer = bed.get(path).json();
      for (String secret : List.of("rkey", "lkey", "l_key", "key")) {
        assertTrue(answer.findValues(secret).isEmpty(), path + " " + answer);
      }
      assertFalse(hasNumber(answer, key) || hasNumber(answer, Integer.toUnsignedLong(key)), path + " " + answer);
    }
    assertEquals("{\"name\":\"c\",\"inner\":{\"open\":3},\"more\":[{\"name\":\"d\",\"inner\":{},\"more\":[]}]}\n",
        bed.get("/weft/careless").body());
  }

  private static boolean hasNumber(JsonNode node, long number) {
    if (node.isIntegralNumber()) {
      return node.asLong() == number;
    }
    for (JsonNode child : node) {
      if (hasNumber(child, number)) {
        return true;
      }
    }
    return false;
  }

  @Test
  void shouldReportASectionThatFailsOrHangs() throws Exception {
    assertRefused(500, bed.get("/weft/broken"), "no disk", "defect of that section");
    assertRefused(503, bed.get("/weft/stuck"), "section stuck did not answer within 500 ms", "/weft/dispatcher");
  }

  @Test
  void shouldAnswerHealthChecksWithoutACluster() throws Exception {
    assertEquals(200, bed.get("/alive").status());
    assertEquals(200, bed.get("/ready").status());
    bed.ready = false;
    try {
      assertEquals(500, bed.get("/ready").status());
      assertEquals(200, bed.get("/alive").status());
    } finally {
      bed.ready = true;
    }
    assertEquals(404, bed.get("/cluster/members").status());
  }

  @Test
  void shouldRaiseAnAlarmForAQueuePairThatFailed() throws Exception {
    Bed.Side side = new Bed.Side(bed.a.node);
    side.fail();
    try {
      JsonNode status = bed.json("/weft/status");
      JsonNode alarm = status.path("alarms").get(0);
      assertEquals("QP_ERR", alarm.path("kind").asText(), status::toString);
      assertEquals("ERROR", alarm.path("severity").asText());
      assertEquals(alarm, bed.json("/weft/nodes/a").path("alarms").path("items").get(0));
      assertEquals("ERR", bed.json("/weft/" + alarm.path("element").asText()).path("state").asText());
    } finally {
      side.node.hca().destroyQp(side.qp);
      side.node.hca().deregMr(side.mr);
      side.node.hca().destroyCq(side.cq);
    }
  }

  @Test
  void shouldAnswerManyAtATimeWhileTrafficRuns() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(9)) {
      Future<Long> traffic = threads.submit(() -> {
        long writes = 0;
        while (!stop.get()) {
          bed.a.write(bed.b, 4096);
          writes++;
        }
        return writes;
      });
      List<Callable<Long>> readers = new ArrayList<>();
      List<String> paths = List.of("/weft/status", "/weft/nodes/b/hca", "/weft/switch", "/weft/nodes/a/qps");
      for (int reader = 0; reader < 8; reader++) {
        String path = paths.get(reader % paths.size());
        readers.add(() -> {
          long placedBefore = -1;
          for (int i = 0; i < 50; i++) {
            JsonNode answer = bed.json(path);
            long placed = answer.path("counters").path("bytesPlaced").asLong();
            assertTrue(placed >= placedBefore, "a counter went backwards");
            placedBefore = placed;
          }
          return placedBefore;
        });
      }
      try {
        Map<Integer, Long> placed = new LinkedHashMap<>();
        for (Future<Long> reader : threads.invokeAll(readers, 90, TimeUnit.SECONDS)) {
          placed.put(placed.size(), reader.get());
        }
        assertTrue(placed.get(1) > 0);
      } finally {
        stop.set(true);
      }
      assertTrue(traffic.get(90, TimeUnit.SECONDS) > 0);
    }
  }

  private static void assertRefused(int status, Bed.Answer answer, String error, String hint) {
    assertEquals(status, answer.status(), answer::body);
    assertTrue(answer.json().path("error").asText().contains(error), answer::body);
    assertTrue(answer.json().path("hint").asText().contains(hint), answer::body);
  }
}
