package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.file.FileServer;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicSnapshot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A file server here, its clients in JVMs of their own, one of which is killed. */
@Tag("jvms")
@Execution(ExecutionMode.CONCURRENT)
class KilledFileClientTest {
  /** So that it is the loss of the host that ends the session. */
  private static final Config CONFIG =
      ConfigFactory.parseString("weft.tripwire.file.lease = 1 h").withFallback(ConfigFactory.load());

  private static List<Integer> held(Nic nic) {
    NicSnapshot now = nic.inspect();
    return List.of(now.apertures().size(), now.mappings().size(), now.endpoints().size(), now.tripwires());
  }

  private static void round(Peer client) throws Exception {
    client.say(FileClientMain.ROUND);
    client.expect(FileClientMain.DONE);
  }

  @Test
  @Timeout(400)
  void shouldServeTheOthersAndHoldNothingOfAClientThatWasKilled(@TempDir Path directory) throws Exception {
    try (Jvms jvms = new Jvms()) {
      ClusterFabric fabric = jvms.fabric();
      Nic nic = NicDevice.start(fabric, fabric.addNode(FileClientMain.SERVER));
      try (FileServer server = FileServer.start(nic, CONFIG, directory)) {
        Peer staying = jvms.start(FileClientMain.class, "staying");
        round(staying);
        List<Integer> heldOfOne = held(nic);
        Peer killed = jvms.start(FileClientMain.class, "killed");
        Members.awaitUp(fabric, 3);
        Waits.until("both to be served", () -> server.sessions() == 2, server::sessions);
        killed.say(FileClientMain.ENDLESS);
        killed.expect(FileClientMain.DONE);
        killed.kill(); // In the middle of a write or a read.
        do { // One is served while it is not known that the other has gone.
          round(staying);
        } while (server.sessions() == 2);
        assertEquals(1, server.sessions());
        Waits.seen("apertures, mappings, endpoints and Tripwires " + heldOfOne, () -> held(nic), heldOfOne::equals);
        round(staying);
        assertEquals(FileClientMain.FILE_BYTES, Files.size(directory.resolve("staying")));
        assertTrue(Files.exists(directory.resolve("killed")), "it had written");
      }
    }
  }
}
