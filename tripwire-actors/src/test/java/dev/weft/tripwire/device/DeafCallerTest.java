package dev.weft.tripwire.device;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.file.FileClient;
import dev.weft.tripwire.file.FileServer;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.Rights;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A NIC that says nothing any more, as that of a process that was killed, while the fabric has not noticed. */
@Tag("slow")
@Tag("actor")
@Timeout(240)
class DeafCallerTest {
  private static final Config CONFIG = ConfigFactory.parseString("weft.tripwire { control-timeout = 60 s, confirm-timeout = 60 s, file.call-timeout = 10 s }")
      .withFallback(ConfigFactory.load());

  private static void until(LocalFabric fabric, BooleanSupplier condition, String what) {
    assertTrue(fabric.help(condition, 90_000_000_000L), what);
  }

  @Test
  void shouldServeOthersWhileACallerThatDiedHasNotAnswered(@TempDir Path directory) throws Exception {
    try (LocalFabric fabric = LocalFabric.start(CONFIG)) {
      Nic near = NicDevice.start(fabric, fabric.addNode("near"));
      Nic far = NicDevice.start(fabric, fabric.addNode("far"));
      NicDevice dying = (NicDevice) NicDevice.start(fabric, fabric.addNode("dying"));
      Endpoint endpoint = dying.endpoint(0);
      Descriptor mailbox = dying.export(Arena.ofAuto().allocate(1024, 8)).descriptor(Rights.ALL);
      byte[] call = ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(0x43414c4c).putInt(0).put(mailbox.toBytes()).array();
      int port = CONFIG.getInt("weft.tripwire.file.port");
      FileServer server = FileServer.start(far, CONFIG, directory);
      try (FileClient client = FileClient.connect(near, "far", CONFIG)) {
        dying.control(() -> {
          endpoint.send(far.lid(), port, call);
          dying.core().close(); // It has called, and hears nothing any more.
          return null;
        });
        until(fabric, () -> server.sessions() == 2, "its call is heard");
        for (int i = 0; i < 10; i++) {
          assertTrue(client.getattr(client.root()).isDirectory());
        }
        try (FileClient another = FileClient.connect(near, "far", CONFIG)) {
          assertTrue(another.getattr(another.root()).isDirectory());
        }
        until(fabric, () -> server.sessions() == 1, "its session ends when it was not heard of for the time of a call");
      } finally {
        server.close();
      }
    }
  }
}
