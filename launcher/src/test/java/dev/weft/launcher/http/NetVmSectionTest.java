package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.FileBackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.McsLock;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.sync.SyncMesh;
import dev.weft.hca.sync.SyncService;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.service.netvm.NetVmSection;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("actor")
@Timeout(180)
class NetVmSectionTest {
  @Test
  void shouldShowMemoryAndLocksOfTheNodesThatHaveThem(@TempDir Path directory) throws Exception {
    NetVmSettings settings = NetVmSettings.from(ConfigFactory.load());
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));
        HostVm vm = new HostVm(settings, new FileBackingStore(directory.resolve("pages"), settings.pageBytes()), VmProcessor.DIRECT)) {
      Node home = fabric.addNode("home");
      Node host = fabric.addNode("host");
      Node bare = fabric.addNode("bare");
      host.hca().attachVm(vm);
      AddressSpace space = vm.createSpace();
      space.map(space.base(), 3L * settings.pageBytes());
      SyncMesh.connect(home, List.of(bare), ReceiveContext.ISR, Kind.MUTEX);
      JsonNode json = new ObjectMapper().valueToTree(NetVmSection.of(List.of(home, host, bare)).toCompletableFuture().get());
      assertEquals(2, json.size(), json::toString);
      assertEquals("MUTEX", json.at("/home/locks/0/objects/0/kind").asText());
      assertEquals(3, json.at("/host/memory/memory/spaces/0/mappedPages").asInt());
      assertEquals(settings.redirectPackets(), json.at("/host/memory/redirect/accountPackets").asInt());
    }
  }

  @Test
  void shouldShowOverHttpWhoHoldsALockAndWhichPagesAreThere(@TempDir Path directory) throws Exception {
    NetVmSettings settings = NetVmSettings.from(ConfigFactory.load());
    List<Node> shown = new ArrayList<>();
    try (Bed bed = new Bed(ConfigFactory.parseString("weft.hca.pin-memory = false"),
            inspection -> inspection.withSection(NetVmSection.NAME, () -> NetVmSection.of(shown)));
        HostVm vm = new HostVm(settings, new FileBackingStore(directory.resolve("pages"), settings.pageBytes()), VmProcessor.DIRECT);
        SyncService _ = SyncService.offer(bed.a.node, "cellar", 4, Kind.MUTEX, Kind.SEMAPHORE)) {
      shown.addAll(bed.nodes);
      SyncClient client = join(bed.b.node);
      McsLock lock = new McsLock(client, 0);
      CompletableFuture<Boolean> held = new CompletableFuture<>();
      client.run(() -> lock.acquire(held::complete));
      assertTrue(held.get(90, TimeUnit.SECONDS));
      bed.b.node.hca().attachVm(vm);
      AddressSpace space = vm.createSpace();
      space.map(space.base(), 5L * settings.pageBytes());
      space.write(space.base() + 3L * settings.pageBytes(), MemorySegment.ofArray(new byte[10]));
      JsonNode home = bed.json("/weft/netvm").at("/a/locks/0");
      assertEquals("cellar", home.path("service").asText());
      assertEquals("[{\"id\":1,\"node\":\"b\"}]", home.path("clients").toString());
      assertEquals("[1]", home.at("/objects/0/clients").toString(), "who holds it");
      JsonNode pages = bed.json("/weft/nodes/b/pages?offset=2&limit=2");
      assertEquals("5 2 2", pages.path("total").asInt() + " " + pages.path("offset").asInt() + " " + pages.path("items").size());
      assertEquals(-1, pages.at("/items/0/frame").asInt(), "never touched");
      assertEquals(3, pages.at("/items/1/page").asInt());
      assertTrue(pages.at("/items/1/frame").asInt() >= 0 && pages.at("/items/1/dirty").asBoolean(), pages::toString);
      assertEquals(0, bed.json("/weft/nodes/a/pages").path("total").asInt(), "no virtual memory");
    }
  }

  private static SyncClient join(Node node) throws Exception {
    CompletableFuture<SyncClient> joined = new CompletableFuture<>();
    SyncMember.join(node, "a", "cellar", 2, ReceiveContext.ISR, new SyncMember.Observer() {
      @Override
      public void onJoined(SyncClient client) {
        joined.complete(client);
      }

      @Override
      public void onLost(String reason) {
        joined.completeExceptionally(new IllegalStateException(reason));
      }
    });
    return joined.get(90, TimeUnit.SECONDS);
  }
}
