package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.FileBackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.sync.SyncMesh;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
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
}
