package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.ServerSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that ask for data and do not read it hold all buffers that there are for all; the stall time-out is far away. */
@Tag("actor")
@Timeout(180)
class StoppedClientsTest {
  private static final int AREA_BYTES = 8 << 20;
  private static final int STOPPED = 6;
  private static final String NBD = "weft.pager.nbd { connections-max = 32, in-flight-bytes-max = 2 MiB, stall-timeout = 10 m, shutdown-timeout = 0 s }";

  private LocalFabric fabric;
  private PagerDevice device;

  private static Config config(int shares) {
    return ConfigFactory.parseString("weft.pager { client { pool-size = 1 MiB, shares = " + shares + " }, server.memory = 16 MiB }")
        .withFallback(ConfigFactory.load());
  }

  @BeforeEach
  void start() {
    fabric = LocalFabric.start(ConfigFactory.empty());
    MemoryServer.start(fabric.addNode("s"), MemoryServer.SERVICE, ServerSettings.from(config(0)));
  }

  private void open(int shares) {
    CompletableFuture<PagerDevice> opened = new CompletableFuture<>();
    PagerClient.open(fabric.addNode("c"), "test", List.of(new ServerSpec("s", MemoryServer.SERVICE, AREA_BYTES)),
        PagerSettings.from(config(shares)), null, new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice one) {
            opened.complete(one);
          }

          @Override
          public void onFailed(String reason) {
            opened.completeExceptionally(new IllegalStateException(reason));
          }
        });
    device = opened.orTimeout(90, TimeUnit.SECONDS).join();
  }

  @AfterEach
  void stop() {
    device.close();
    fabric.close();
  }

  /** Whether somebody without a share would get a buffer now. */
  private boolean hasRoom() {
    BlockDevice.Buffer buffer = device.tryAcquire(64 << 10, null);
    if (buffer != null) {
      buffer.release();
    }
    return buffer != null;
  }

  @Test
  void shouldServeAClientBesideManyThatHaveStoppedReading() throws Exception {
    open(32);
    List<NbdTestClient> stopped = new ArrayList<>();
    try (NbdServer server = NbdServing.serve(NBD, device)) {
      String uri = server.uris().getFirst();
      for (int i = 0; i < STOPPED; i++) {
        NbdTestClient client = new NbdTestClient(uri).go("", false);
        stopped.add(client);
        for (int request = 0; request < 200; request++) {
          client.send(Nbd.CMD_READ, 0, (long) request % 32 * (128 << 10), 128 << 10, null);
        }
      }
      Waits.until("the stopped clients to hold the pool", () -> !hasRoom());
      byte[] data = new byte[1 << 20];
      Arrays.fill(data, (byte) 0x77);
      try (NbdTestClient good = new NbdTestClient(uri).patience(90).go("", false)) {
        for (int i = 0; i < 20; i++) {
          assertEquals(0, good.write(4 << 20, data), "longer than its share, so in parts");
          assertArrayEquals(data, good.read(4 << 20, data.length));
          assertEquals(0, good.write(i * 4096L, new byte[4096]));
        }
      }
      assertTrue(!hasRoom(), "they hold it still");
      int count = server.connectionCount();
      assertEquals(STOPPED, count - (count > STOPPED ? 1 : 0), "none of them was closed");
    } finally {
      for (NbdTestClient client : stopped) {
        client.close();
      }
    }
  }

  @Test
  void shouldTurnAwayAConnectionThatCannotHaveAShare() throws Exception {
    open(2);
    try (NbdServer server = NbdServing.serve(NBD, device);
        NbdTestClient one = new NbdTestClient(server.uris().getFirst()).go("", false)) {
      assertEquals(0, one.write(0, new byte[512]));
      try (NbdTestClient two = new NbdTestClient(server.uris().getFirst()).go("", false);
          NbdTestClient three = new NbdTestClient(server.uris().getFirst()).patience(90)) {
        assertEquals(0, two.write(0, new byte[512]));
        three.go("", false);
        assertTrue(three.isClosedByServer());
      }
      Waits.seen("a share to be free again", server::connectionCount, count -> count == 1);
      try (NbdTestClient four = new NbdTestClient(server.uris().getFirst()).patience(90).go("", false)) {
        assertEquals(0, four.write(0, new byte[512]));
      }
    }
  }
}
