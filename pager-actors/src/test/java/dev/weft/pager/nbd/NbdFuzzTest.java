package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Seeded nonsense; -Dweft.seed=N repeats a run. */
@Timeout(180)
class NbdFuzzTest {
  private static final int SIZE = 1 << 20;
  private static final int IN_FLIGHT_MAX = 5;
  private static final String BOUNDS = "weft.pager.nbd { payload-bytes-max = 64 KiB, in-flight-max = " + IN_FLIGHT_MAX + " }";
  /** Of a connection's thread, heap: some classes loaded, an option or two of 64 KiB; far from what the client announces. */
  private static final long ALLOCATED_BYTES_MAX = 4 << 20;

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
    try (RamBlockDevice device = new RamBlockDevice(SIZE, 8192, 256, Runnable::run);
        NbdServer server = NbdServing.serve(BOUNDS, device)) {
      for (int round = 0; round < 40; round++) {
        NbdServing.untilIdle(device, server);
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
      assertTrue(device.borrowedPeak() <= IN_FLIGHT_MAX, "borrowed " + device.borrowedPeak() + " buffers, seed " + seed);
    }
  }

  @Test
  void shouldCloseAndHoldNothingWhenGarbageComesBetweenRequests() throws Exception {
    long seed = Long.getLong("weft.seed", System.nanoTime());
    System.out.println("NbdFuzzTest garbage seed " + seed);
    Random random = new Random(seed);
    try (RamBlockDevice device = new RamBlockDevice(SIZE, 8192, 256, Runnable::run);
        NbdServer server = NbdServing.serve(BOUNDS, device)) {
      for (int round = 0; round < 60; round++) {
        NbdServing.untilIdle(device, server);
        try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", random.nextBoolean())) {
          int pipelined = random.nextInt(8);
          for (int i = 0; i < pipelined; i++) {
            client.send(Nbd.CMD_READ, 0, random.nextInt(SIZE / 2), 1 + random.nextInt(60_000), null);
          }
          client.out.write(garbage(random));
          client.out.flush();
          client.in.readAllBytes();
        } catch (java.net.SocketException e) {
          // Reset because bytes of ours were unread.
        }
      }
      assertServes(server, device);
      assertTrue(device.borrowedPeak() <= IN_FLIGHT_MAX, "borrowed " + device.borrowedPeak() + " buffers, seed " + seed);
    }
  }

  /** A header with one field broken so that the session must end, or nothing like a header. */
  private static byte[] garbage(Random random) {
    byte[] bytes = new byte[Nbd.REQUEST_BYTES + random.nextInt(5000)];
    random.nextBytes(bytes);
    ByteBuffer header = ByteBuffer.wrap(bytes);
    switch (random.nextInt(3)) {
      case 0 -> header.putInt(0, Nbd.REQUEST_MAGIC ^ 1 << random.nextInt(32)).putShort(6, (short) random.nextInt(8));
      case 1 -> header.putInt(0, Nbd.REQUEST_MAGIC).putShort(6, (short) Nbd.CMD_WRITE).putInt(24, -1 - random.nextInt(1 << 20));
      default -> header.putInt(0, header.getInt(0) & 0x7fff_fffe);
    }
    return bytes;
  }

  @Test
  void shouldAllocateByWhatArrivesAndNotByWhatIsAnnounced() throws Exception {
    try (RamBlockDevice device = new RamBlockDevice(SIZE, 8192, 256, Runnable::run);
        NbdServer server = NbdServing.serve(BOUNDS, device)) {
      try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).greet()) {
        client.out.writeLong(0x49484156454F5054L);
        client.out.writeInt(7);
        client.out.writeInt(-1);
        client.out.write(new byte[1_000_000]);
        client.out.flush();
        assertConnectionAllocatesLittle();
      }
      NbdServing.untilIdle(device, server);
      for (int length : new int[] {64 << 10, 32 << 20}) {
        try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", false)) {
          client.send(Nbd.CMD_WRITE, 0, 0, length, new byte[10_000]);
          assertConnectionAllocatesLittle();
        }
        NbdServing.untilIdle(device, server);
      }
      assertTrue(device.borrowedPeak() <= IN_FLIGHT_MAX, "borrowed " + device.borrowedPeak());
      assertServes(server, device);
    }
  }

  /** The one connection's thread has come to rest, waiting for bytes, and has not allocated more than it may. */
  private static void assertConnectionAllocatesLittle() throws InterruptedException {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Thread client = Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals("nbd-client"))
        .max(Comparator.comparingLong(Thread::threadId)).orElseThrow(); // An older one may be at its end.
    for (int same = 0, round = 0; same < 5 && round < 400; round++) {
      long before = threads.getThreadAllocatedBytes(client.threadId());
      Thread.sleep(5);
      same = threads.getThreadAllocatedBytes(client.threadId()) == before ? same + 1 : 0;
    }
    long bytes = threads.getThreadAllocatedBytes(client.threadId());
    assertTrue(bytes > 0 && bytes <= ALLOCATED_BYTES_MAX, "the connection allocated " + bytes + " bytes");
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
