package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import dev.weft.pager.nbd.NbdTestClient.Chunk;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command at the byte level, with completions inline and on another thread, and a pool of three small buffers. */
@Timeout(180)
class TransmissionTest {
  private static final int SIZE = (4 << 20) + 100;
  private static final int MAX = 20_000;
  private final ExecutorService hardware = Executors.newSingleThreadExecutor();
  private RamBlockDevice device;
  private NbdServer server;

  private NbdTestClient start(boolean inline, String export, boolean structured) throws Exception {
    device = new RamBlockDevice(SIZE, MAX, 3, inline ? Runnable::run : hardware);
    server = NbdServing.serve("weft.pager.nbd { in-flight-max = 5, extents-max = 4, stall-timeout = 2 s }", device);
    return new NbdTestClient(server.uris().getFirst()).go(export, structured);
  }

  @AfterEach
  void stop() throws Exception {
    try {
      NbdServing.untilIdle(device, server);
    } finally {
      server.close();
      hardware.close();
      device.close();
    }
  }

  private static byte[] random(long seed, int length) {
    byte[] data = new byte[length];
    new Random(seed).nextBytes(data);
    return data;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReadBackWhatWasWrittenWhenRepliesAreSimple(boolean inline) throws Exception {
    try (NbdTestClient client = start(inline, "", false)) {
      byte[] data = random(1, 300_001);
      assertEquals(0, client.write(12_345, data));
      assertArrayEquals(data, client.read(12_345, data.length));
      assertArrayEquals(Arrays.copyOfRange(data, 7, 8), client.read(12_352, 1));
      assertArrayEquals(new byte[100], client.read(SIZE - 100, 100));
      assertEquals(0, client.command(Nbd.CMD_READ, 0, 0, 0));
      device.failWith(command -> command == 0 ? Errno.EIO : 0);
      assertEquals(Errno.EIO, client.command(Nbd.CMD_READ, 0, 0, 4096));
      assertEquals(Errno.EIO, client.command(Nbd.CMD_READ, 0, 0, 100_000));
      device.failWith(command -> 0);
      assertArrayEquals(data, client.read(12_345, data.length));
      client.send(Nbd.CMD_DISC, 0, 0, 0, null);
      assertTrue(client.isClosedByServer());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldSendDataAndHolesWhenRepliesAreStructured(boolean inline) throws Exception {
    try (NbdTestClient client = start(inline, "", true)) {
      byte[] data = random(2, 50_000);
      assertEquals(0, client.write(65_536, data));
      List<Chunk> chunks = client.chunks(Nbd.CMD_READ, 0, 0, 1 << 20);
      byte[] want = new byte[1 << 20];
      System.arraycopy(data, 0, want, 65_536, data.length);
      assertArrayEquals(want, NbdTestClient.assemble(chunks, 0, 1 << 20));
      assertTrue(chunks.stream().anyMatch(chunk -> chunk.type() == 2));
      List<Chunk> whole = client.chunks(Nbd.CMD_READ, Nbd.CMD_FLAG_DF, 60_000, 60_000);
      assertEquals(1, whole.stream().filter(chunk -> chunk.type() == 1 || chunk.type() == 2).count());
      assertArrayEquals(Arrays.copyOfRange(want, 60_000, 120_000), NbdTestClient.assemble(whole, 60_000, 60_000));
      assertError(Errno.EOVERFLOW, client.chunks(Nbd.CMD_READ, Nbd.CMD_FLAG_DF, 0, 65_537));
      assertEquals(0, client.chunks(Nbd.CMD_READ, 0, 0, 0).getFirst().type());
      device.failWith(command -> command == 0 ? Errno.EIO : 0);
      assertError(Errno.EIO, client.chunks(Nbd.CMD_READ, 0, 65_536, 50_000));
      assertError(Errno.EIO, client.chunks(Nbd.CMD_READ, Nbd.CMD_FLAG_DF, 65_536, 50_000));
      assertError(Errno.EINVAL, client.chunks(Nbd.CMD_READ, 0, SIZE, 1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTrimZeroAndReportAllocation(boolean inline) throws Exception {
    try (NbdTestClient client = start(inline, "", true)) {
      assertEquals(0, client.write(0, random(3, 40_960)));
      assertEquals(0, client.command(Nbd.CMD_TRIM, 1, 4096, 4096));
      assertEquals(0, client.command(Nbd.CMD_WRITE_ZEROES, Nbd.CMD_FLAG_FAST_ZERO | 1, 12_288, 4096));
      assertEquals(0, client.command(Nbd.CMD_WRITE_ZEROES, Nbd.CMD_FLAG_NO_HOLE, 20_480, 4096));
      assertEquals(Errno.ENOTSUP,
          client.command(Nbd.CMD_WRITE_ZEROES, Nbd.CMD_FLAG_NO_HOLE | Nbd.CMD_FLAG_FAST_ZERO, 20_480, 4096));
      assertEquals(0, client.command(Nbd.CMD_CACHE, 0, 0, 4096));
      ByteBuffer status = client.chunks(Nbd.CMD_BLOCK_STATUS, 0, 0, SIZE).getFirst().bytes();
      int[] want = {1, 4096, 0, 4096, 3, 4096, 0, 4096, 3};
      for (int value : want) {
        assertEquals(value, status.getInt());
      }
      assertTrue(!status.hasRemaining(), "at most extents-max");
      ByteBuffer one = client.chunks(Nbd.CMD_BLOCK_STATUS, Nbd.CMD_FLAG_REQ_ONE, 16_384, 8192).getFirst().bytes();
      assertEquals(12, one.remaining());
      assertEquals(8192, one.getInt(4));
      assertArrayEquals(new byte[4096], NbdTestClient.assemble(client.chunks(0, 0, 20_480, 4096), 20_480, 4096));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAnswerTheDeclaredErrorsWhenRequestsAreWrong(boolean inline) throws Exception {
    try (NbdTestClient client = start(inline, "", false)) {
      assertEquals(Errno.ENOSPC, client.write(SIZE - 1, new byte[2]));
      assertEquals(Errno.ENOSPC, client.write(-1, new byte[2]));
      assertEquals(Errno.ENOSPC, client.command(Nbd.CMD_WRITE_ZEROES, 0, SIZE, 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_TRIM, 0, SIZE, 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_READ, 0, Long.MAX_VALUE, 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_READ, 0, 0, SIZE + 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_READ, Nbd.CMD_FLAG_DF, 0, 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_BLOCK_STATUS, 0, 0, 1));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_FLUSH, 0, 1, 0));
      assertEquals(Errno.EINVAL, client.command(Nbd.CMD_CACHE, 2, 0, 1));
      assertEquals(Errno.EINVAL, client.command(99, 0, 0, 1));
      assertEquals(0, client.command(Nbd.CMD_TRIM, 0, 0, 0));
      device.failWith(command -> 42);
      assertEquals(Errno.EIO, client.command(Nbd.CMD_FLUSH, 0, 0, 0));
      device.failWith(command -> Errno.ENOSPC);
      assertEquals(Errno.ENOSPC, client.write(0, new byte[100_000]));
    }
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("frozen", false)) {
      assertEquals(Errno.EPERM, client.write(0, new byte[10]));
      assertEquals(Errno.EPERM, client.command(Nbd.CMD_TRIM, 0, 0, 1));
      assertEquals(Errno.EPERM, client.command(Nbd.CMD_WRITE_ZEROES, 0, 0, 1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldAnswerEveryRequestWhenManyArePipelined(boolean inline) throws Exception {
    try (NbdTestClient client = start(inline, "", false)) {
      Map<Long, Integer> reads = new HashMap<>();
      for (int i = 0; i < 50; i++) {
        assertEquals(0, client.write(i * 4096L, random(i, 4096)));
      }
      for (int i = 0; i < 50; i++) {
        reads.put(client.send(Nbd.CMD_READ, 0, i * 4096L, 4096, null), i);
      }
      while (!reads.isEmpty()) {
        assertEquals(0x67446698, client.in.readInt());
        assertEquals(0, client.in.readInt());
        int index = reads.remove(client.in.readLong());
        assertArrayEquals(random(index, 4096), client.in.readNBytes(4096));
      }
      assertTrue(device.borrowedPeak() <= 3);
    }
  }

  /** The device does nothing before all requests are there, so that more would have begun if more could. */
  @ParameterizedTest
  @CsvSource({"16384, 4", "20000, 3", "512, 12"})
  void shouldBeginNoMoreRequestsThanTheirBytesAllow(int bytes, int inFlight) throws Exception {
    CountDownLatch allSent = new CountDownLatch(1);
    hardware.submit(() -> allSent.await(90, TimeUnit.SECONDS));
    device = new RamBlockDevice(SIZE, MAX, 40, hardware);
    server = NbdServing.serve("weft.pager.nbd { in-flight-max = 12, in-flight-bytes-max = 64 KiB }", device);
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", false)) {
      for (int i = 0; i < 30; i++) {
        client.send(Nbd.CMD_READ, 0, (long) i * bytes, bytes, null);
      }
      while (device.borrowedCount() < inFlight) {
        Thread.sleep(1);
      }
      Thread.sleep(100);
      allSent.countDown();
      for (int i = 0; i < 30; i++) {
        assertEquals(0x67446698, client.in.readInt());
        assertEquals(0, client.in.readInt());
        client.in.readNBytes(Long.BYTES + bytes);
      }
      assertEquals(inFlight, device.borrowedPeak());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldReturnEveryBufferWhenTheClientVanishes(boolean inline) throws Exception {
    start(inline, "", true).close();
    for (int round = 0; round < 6; round++) {
      NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", round % 2 == 0);
      client.write(0, random(9, 200_000));
      for (int i = 0; i < 40; i++) {
        client.send(Nbd.CMD_READ, 0, 0, 200_000, null);
      }
      client.send(Nbd.CMD_WRITE, 0, 1 << 20, 200_000, new byte[30_000]); // elsewhere: the beginning of it may be stored
      client.socket.setSoLinger(round < 3, 0);
      client.close();
    }
    NbdServing.untilIdle(device, server);
    try (NbdTestClient client = new NbdTestClient(server.uris().getFirst()).go("", false)) {
      assertArrayEquals(Arrays.copyOf(random(9, 200_000), 16), client.read(0, 16));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDropAClientThatTakesNoRepliesAndServeTheOthers(boolean inline) throws Exception {
    start(inline, "", true).close();
    try (NbdTestClient slow = new NbdTestClient(server.uris().getFirst()).go("", true)) {
      slow.write(0, random(4, 400_000));
      for (int i = 0; i < 100; i++) {
        slow.send(Nbd.CMD_READ, 0, 0, 400_000, null);
      }
      try (NbdTestClient other = new NbdTestClient(server.uris().getFirst()).go("", false)) {
        assertEquals(16, other.read(0, 16).length);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCloseWhenTheServerStops(boolean inline) throws Exception {
    try (NbdTestClient idle = start(inline, "", true); NbdTestClient greeting = new NbdTestClient(server.uris().getFirst())) {
      greeting.greet();
      server.close();
      assertTrue(idle.isClosedByServer());
      assertTrue(greeting.isClosedByServer());
    }
  }

  private static void assertError(int errno, List<Chunk> chunks) {
    Chunk last = chunks.getLast();
    assertEquals(Nbd.REPLY_ERROR, last.type());
    assertEquals(errno, last.bytes().getInt());
  }
}
