package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Seeded nonsense; -Dweft.seed=N repeats a run. */
@Timeout(25)
class NbdFuzzTest {
  private static final int SIZE = 1 << 20;

  @Test
  void shouldServeOnAndHoldNothingWhenHandshakesAreNonsense() throws Exception {
    long seed = Long.getLong("weft.seed", System.nanoTime());
    System.out.println("NbdFuzzTest handshake seed " + seed);
    Random random = new Random(seed);
    try (RamBlockDevice device = new RamBlockDevice(SIZE, 8192, 4, Runnable::run);
        NbdServer server = NbdServing.serve("weft.pager.nbd.handshake-timeout = 2 s", device)) {
      for (int round = 0; round < 150; round++) {
        try (NbdTestClient client = new NbdTestClient(server.uris().getFirst())) {
          client.greet(random.nextInt(10) == 0 ? random.nextInt() : 3);
          int options = random.nextInt(6);
          for (int i = 0; i < options; i++) {
            byte[] data = new byte[random.nextInt(4) == 0 ? random.nextInt(80_000) : random.nextInt(40)];
            random.nextBytes(data);
            if (data.length > 8 && random.nextBoolean()) {
              ByteBuffer.wrap(data).putInt(0, random.nextInt(data.length + 4));
            }
            client.sendOption(random.nextInt(14), data);
          }
          client.socket.shutdownOutput();
          client.in.readAllBytes();
        } catch (IOException e) {
          // A connection that the server closed under our bytes; that the server lives is checked below.
        }
      }
      assertServes(server, device);
    }
  }

  @Test
  void shouldAnswerOnlyDeclaredErrorsWhenRequestsAreNonsense() throws Exception {
    long seed = Long.getLong("weft.seed", System.nanoTime());
    System.out.println("NbdFuzzTest request seed " + seed);
    Random random = new Random(seed);
    try (RamBlockDevice device = new RamBlockDevice(SIZE, 8192, 4, Runnable::run);
        NbdServer server = NbdServing.serve("", device)) {
      for (int round = 0; round < 40; round++) {
        try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go(random.nextBoolean() ? "" : "frozen", false)) {
          for (int i = 0; i < 30; i++) {
            request(client, random);
          }
          client.out.write(new byte[random.nextInt(100)]);
          client.out.flush();
        } catch (java.net.SocketException e) {
          // Closed under our last, meaningless bytes.
        }
      }
      assertServes(server, device);
    }
  }

  private static void request(NbdTestClient client, Random random) throws IOException {
    int type = random.nextInt(10);
    if (type == Nbd.CMD_DISC) {
      return;
    }
    int length = random.nextInt(4) == 0 ? random.nextInt(100_000) : random.nextInt(9000);
    long offset = random.nextInt(5) == 0 ? random.nextLong() : random.nextInt(SIZE);
    int flags = random.nextInt(3) == 0 ? random.nextInt(64) : 0;
    long cookie = client.send(type, flags, offset, length, type == Nbd.CMD_WRITE ? new byte[length] : null);
    int errno = client.simpleReply(cookie);
    assertTrue(errno == 0 || Errno.isDeclared(errno), "errno " + errno + " for command " + type);
    if (type == Nbd.CMD_READ && errno == 0) {
      client.in.readNBytes(length);
    }
  }

  private static void assertServes(NbdServer server, RamBlockDevice device) throws Exception {
    NbdServing.untilIdle(device, server);
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", false)) {
      byte[] data = {1, 2, 3, 4};
      client.write(77, data);
      assertArrayEquals(data, client.read(77, 4));
    }
    NbdServing.untilIdle(device, server);
  }
}
