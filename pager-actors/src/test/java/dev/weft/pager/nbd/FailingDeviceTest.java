package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.RamBlockDevice;
import dev.weft.pager.nbd.PromisingDevice.Fault;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Devices that throw where they must not, and devices that rely on the promise of help. */
@Tag("slow")
@Timeout(180)
class FailingDeviceTest {
  private static final int SIZE = 4 << 20;
  private final ExecutorService hardware = Executors.newSingleThreadExecutor();
  private RamBlockDevice ram;
  private PromisingDevice device;
  private NbdServer server;

  @BeforeEach
  void start() throws IOException {
    ram = new RamBlockDevice(SIZE, 20_000, 3, Runnable::run);
    device = new PromisingDevice(ram, hardware);
    server = NbdServing.serve("weft.pager.nbd { in-flight-max = 5, connections-max = 1, stall-timeout = 1 s, help = 1 ms }", device);
  }

  @AfterEach
  void stop() throws Exception {
    try {
      NbdServing.untilIdle(ram, server);
      assertEquals(List.of(), device.violations());
      assertEquals(0, device.openScopes());
    } finally {
      server.close();
      hardware.close();
      ram.close();
    }
  }

  private NbdTestClient client(boolean structured) throws Exception {
    return new NbdTestClient(server.uris().getFirst()).go("", structured);
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void shouldEndTheConnectionAndFreeItsPlaceAndBuffersWhenTheDeviceThrows(Fault fault) throws Exception {
    for (boolean structured : new boolean[] {false, true}) {
      for (boolean error : new boolean[] {false, true}) {
        try (NbdTestClient client = client(structured)) {
          assertEquals(0, client.write(0, new byte[100_000]));
          device.failAt(fault, 3, error);
          for (int i = 0; i < 6; i++) {
            client.send(Nbd.CMD_READ, 0, 0, 100_000, null);
            client.send(Nbd.CMD_WRITE, 0, 0, 50_000, new byte[50_000]);
            client.send(Nbd.CMD_WRITE_ZEROES, Nbd.CMD_FLAG_FUA, 200_000, 4096, null);
          }
          client.send(Nbd.CMD_DISC, 0, 0, 0, null);
          client.in.readAllBytes();
        } catch (IOException e) {
          assertTrue(device.hasFailed(), () -> "closed before the device failed: " + e);
        }
        assertTrue(device.hasFailed(), fault + " was never reached");
        NbdServing.untilIdle(ram, server);
      }
    }
    try (NbdTestClient client = client(false)) {
      assertEquals(0, client.write(7, new byte[] {1, 2, 3}));
      assertArrayEquals(new byte[] {1, 2, 3}, client.read(7, 3));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepThePromiseWhenRequestsAreLargerThanThePool(boolean structured) throws Exception {
    try (NbdTestClient client = client(structured)) {
      byte[] data = new byte[500_000];
      new java.util.Random(3).nextBytes(data);
      assertEquals(0, client.write(12_345, data));
      byte[] back = structured
          ? NbdTestClient.assemble(client.chunks(Nbd.CMD_READ, 0, 12_345, data.length), 12_345, data.length)
          : client.read(12_345, data.length);
      assertArrayEquals(data, back);
      assertEquals(0, client.command(Nbd.CMD_WRITE_ZEROES, Nbd.CMD_FLAG_FUA, 0, 4096));
    }
    assertTrue(device.scopes() > 0, "no scope was opened");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepThePromiseWhenPayloadStops(boolean refused) throws Exception {
    try (NbdTestClient client = client(false)) {
      client.send(Nbd.CMD_READ, 0, 0, 4096, null);
      client.send(Nbd.CMD_WRITE, 0, refused ? SIZE : 0, 100_000, new byte[50_000]);
      client.in.readAllBytes();
    } catch (java.net.SocketException e) {
      // Reset instead of an orderly end: bytes of ours were unread.
    }
    assertTrue(device.scopes() > 0, "no scope was opened");
  }

  /** Replies that become ready behind the full socket must neither keep the connection awake nor count as progress. */
  @Test
  void shouldDropAClientThatTakesNoRepliesWhileMoreBecomeReady() throws Exception {
    device.helpSlowly();
    try (NbdTestClient slow = client(true)) {
      for (int i = 0; i < 100; i++) {
        slow.send(Nbd.CMD_READ, 0, 0, 400_000, null);
      }
      Waits.seen("the slow client to be dropped", server::connectionCount, count -> count == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldKeepThePromiseWhenTheClientTakesNoReplies(boolean structured) throws Exception {
    try (NbdTestClient slow = client(structured)) {
      slow.write(0, new byte[400_000]);
      for (int i = 0; i < 100; i++) {
        slow.send(Nbd.CMD_READ, 0, 0, 400_000, null);
      }
      Waits.seen("the slow client to be dropped", server::connectionCount, count -> count == 0);
    }
    assertFalse(device.scopes() == 0, "no scope was opened");
  }
}
