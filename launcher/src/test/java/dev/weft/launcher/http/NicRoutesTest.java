package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.service.Paging;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.EventQueue;
import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Tripwire;
import dev.weft.tripwire.nic.Watch;
import dev.weft.tripwire.service.NicSection;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code /weft/nics}. */
@Tag("actor")
@Timeout(180)
class NicRoutesTest {
  private final List<Nic> nics = new CopyOnWriteArrayList<>();
  private final Arena arena = Arena.ofShared();
  private Bed bed;

  /** As the service shows them, of a fabric that is there when somebody asks. */
  private final class Shown implements Running, Section {
    private NicSection section() {
      return new NicSection(() -> List.copyOf(nics), bed.fabric.system());
    }

    @Override
    public Map<String, Section> sections() {
      return Map.of(NicSection.NAME, this);
    }

    @Override
    public CompletionStage<?> find(List<String> path, Paging paging) {
      return section().find(path, paging);
    }

    @Override
    public List<String> routes() {
      return section().routes();
    }
  }

  @BeforeEach
  void start() throws Exception {
    bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(Map.of("tripwire", new Shown())));
  }

  @AfterEach
  void stop() {
    bed.close();
    arena.close();
  }

  private Nic attach(LocalFabric fabric, int node) {
    Nic nic = NicDevice.start(fabric, bed.nodes.get(node));
    nics.add(nic);
    return nic;
  }

  @Test
  void shouldListNoneWhereNoneIsAttached() throws Exception {
    assertEquals(0, bed.json("/weft/nics").path("total").asInt());
    Bed.Answer answer = bed.get("/weft/nics/a");
    assertEquals(404, answer.status());
    assertTrue(answer.body().contains("no NIC at a node a"), answer.body());
    assertTrue(bed.json("/weft").path("routes").toString().contains("/weft/nics/{name}/cam"));
  }

  @Test
  void shouldShowCamAperturesAndQueuesButNoSecret() throws Exception {
    Nic a = attach(bed.fabric, 0);
    Nic b = attach(bed.fabric, 1);
    LocalAperture aperture = a.export(arena.allocate(8192, 8));
    byte[] cookie = aperture.descriptor(Rights.WRITE).toBytes();
    RemoteAperture there = b.map(aperture.descriptor(Rights.WRITE));
    Tripwire persistent = a.tripwire().set(aperture, Watch.WRITE, 4096, 16, false);
    Tripwire once = a.tripwire().set(aperture, Watch.READ, 0, 100, true);
    a.tripwire();
    Tripwire outgoing = b.tripwire().set(there, Watch.WRITE, 8, 8, true);
    EventQueue queue = a.eventQueue(16);
    queue.channel();
    queue.register(persistent);
    persistent.arm();
    once.arm();
    outgoing.arm();
    there.writeInt(4096, 1);
    there.writeInt(4100, 2);
    assertTrue(bed.fabric.help(() -> persistent.counted() == 2 && queue.size() == 2, 90_000_000_000L));
    Endpoint endpoint = b.endpoint(9);

    JsonNode brief = bed.json("/weft/nics");
    assertEquals(2, brief.path("total").asInt());
    assertEquals("a", brief.at("/items/0/node").asText());
    assertEquals(2, brief.at("/items/0/armed").asInt());
    JsonNode cam = bed.json("/weft/nics/a/cam");
    assertEquals(3, cam.path("total").asInt());
    JsonNode entry = cam.at("/items/0");
    assertEquals("local write", entry.path("watches").asText());
    assertEquals(1, entry.path("of").asInt());
    assertEquals(4096, entry.path("offset").asInt());
    assertEquals(16, entry.path("length").asInt());
    assertTrue(entry.path("armed").asBoolean());
    assertFalse(entry.path("once").asBoolean());
    assertEquals(2, entry.path("matches").asInt());
    assertEquals("[\"fifo\",\"bitmap\",\"counter\"]", entry.path("actions").toString());
    assertEquals("local read", cam.at("/items/1/watches").asText());
    assertEquals(0, cam.at("/items/1/matches").asInt());
    assertTrue(cam.at("/items/2/watches").isNull());
    assertEquals(1, bed.json("/weft/nics/a/cam?offset=1&limit=1").path("items").size());
    assertEquals("remote write", bed.json("/weft/nics/b/cam").at("/items/0/watches").asText());

    JsonNode queues = bed.json("/weft/nics/a/queues").at("/items/0");
    assertEquals(2, queues.path("events").asInt());
    assertEquals(16, queues.path("capacity").asInt());
    assertTrue(queues.path("selectable").asBoolean());
    assertEquals(8192, bed.json("/weft/nics/a/apertures").at("/items/0/length").asInt());
    assertEquals("OK", bed.json("/weft/nics/b/mappings").at("/items/0/status").asText());
    assertEquals(endpoint.port(), bed.json("/weft/nics/b/endpoints").at("/items/0/port").asInt());
    assertEquals(2, bed.json("/weft/nics/a").at("/cam/firings").asInt());

    for (String below : new Shown().routes()) {
      assertTrue(bed.json("/weft/nics" + below.replace("{name}", "b")).isObject(), below);
    }
    long secret = ByteBuffer.wrap(cookie).getLong(16);
    for (String route : List.of("/weft/nics", "/weft/nics/a", "/weft/nics/a/apertures", "/weft/nics/b/mappings", "/weft/nics/a/cam")) {
      String body = bed.get(route).body();
      assertFalse(body.contains(Long.toString(secret)) || body.contains(Long.toHexString(secret)) || body.contains("key"), body);
    }
    queue.close();
    assertEquals(0, bed.json("/weft/nics/a/queues").path("total").asInt());
    assertEquals(404, bed.get("/weft/nics/a/secrets").status());
  }
}
