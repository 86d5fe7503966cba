package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Daemons with directories, over the fabric. */
@Tag("slow")
@Tag("actor")
@Timeout(120)
class DiskStripesTest {
  @TempDir private Path directory;

  private StripedCluster cluster(int daemons, String settings) {
    return new StripedCluster(daemons, "weft.pvfs.daemon.directory = \"" + directory + "\"\nweft.pvfs.daemon.zones = 12 MiB\n" + settings);
  }

  private static MemorySegment random(long seed, int bytes) {
    byte[] data = new byte[bytes];
    new Random(seed).nextBytes(data);
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, bytes)).asSlice(0, bytes);
    MemorySegment.copy(data, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes);
    return memory;
  }

  private static void assertHas(DataClient client, long object, Striping striping, MemorySegment data) {
    MemorySegment back = random(0, (int) data.byteSize());
    IoTask read = client.read(object, striping, 0, back);
    assertEquals(Errno.OK, read.errno());
    assertEquals(data.byteSize(), read.bytes());
    assertEquals(-1, data.mismatch(back));
  }

  private static Path file(Path daemon, long object) {
    return daemon.resolve(String.format("objects/%02x/%016x", object & 0xff, object));
  }

  @Test
  void shouldMakeAHoleOfAnyLength() {
    try (StripedCluster cluster = cluster(3, ""); DataClient client = cluster.client(Band.INLINE)) {
      DataClientTest.shouldMakeAHole(client, new Striping(0, 3, 65_536, 3), 1L << 43);
      cluster.assertIdle();
    }
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldDoWhatAnArrayDoes(Band band) {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    try (StripedCluster cluster = cluster(3, "weft.pvfs.daemon.transfer = 128 KiB\n"); DataClient client = cluster.client(band)) {
      for (int file = 1; file <= 4; file++) {
        Striping striping = new Striping(random.nextInt(3), 1 + random.nextInt(3), 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000), 3);
        new DataClientTest.FileModel(client, striping, file, random).run(50, "seed " + seed + ", file " + file + ", " + striping);
      }
      cluster.assertIdle();
    }
  }

  @Test
  void shouldMoveALargeRequestInPartsAndCopyNothing() {
    try (StripedCluster cluster = cluster(1, "weft.pvfs.daemon.transfer = 1 MiB\n"); DataClient client = cluster.client(Band.SERVER)) {
      Striping striping = new Striping(0, 1, 1 << 20, 1);
      MemorySegment data = random(3, 16 << 20);
      assertEquals(Errno.OK, client.write(1, striping, 0, data).errno());
      assertHas(client, 1, striping, data);
      DaemonSnapshot state = cluster.daemon(0);
      assertEquals(0, state.bytesCopied() + state.disk().bytesCopied());
      assertTrue(state.disk().zonesUsedMax() >= 2, "network and disk overlap");
      assertEquals(16 << 20, state.disk().bytesWritten());
      cluster.assertIdle();
    }
  }

  @Test
  void shouldServeAfterARestartWhatWasThere() {
    Striping striping = new Striping(0, 2, 65_536, 2);
    MemorySegment data = random(5, 3_000_000);
    try (StripedCluster cluster = cluster(2, ""); DataClient client = cluster.client(null)) {
      assertEquals(Errno.OK, client.write(77, striping, 0, data).errno());
      cluster.stopDaemon(0);
      cluster.daemons.set(0, cluster.startDaemon(0));
      assertHas(client, 77, striping, data);
      assertEquals(Map.of(77L, striping.localBytes(0, 3_000_000)), DaemonObjectsTest.list(client, 0, 64));
      assertEquals(0, client.scrub(77, striping, 3_000_000).badBlocks());
      cluster.assertIdle();
    }
    try (StripedCluster cluster = cluster(2, ""); DataClient client = cluster.client(null)) {
      assertHas(client, 77, striping, data);
    }
  }

  @Test
  void shouldRefuseDamagedBlocksAndNoOthers() throws IOException {
    Striping striping = new Striping(0, 1, 65_536, 1);
    MemorySegment data = random(9, 300_000);
    try (StripedCluster cluster = cluster(1, ""); DataClient client = cluster.client(null)) {
      assertEquals(Errno.OK, client.write(5, striping, 0, data).errno());
      assertEquals(Errno.OK, client.sync(5, striping).errno());
      try (RandomAccessFile raw = new RandomAccessFile(file(directory.resolve("io-0"), 5).toFile(), "rw")) {
        raw.seek(70_000);
        int was = raw.read();
        raw.seek(70_000);
        raw.write(was ^ 1);
      }
      assertEquals(Errno.EIO, client.read(5, striping, 69_999, random(0, 10)).errno());
      assertEquals(Errno.EIO, client.write(5, striping, 66_000, random(0, 10)).errno(), "what is left of the block cannot be vouched for");
      assertHas(client, 5, striping, data.asSlice(0, 65_536));
      MemorySegment rest = random(0, 100_000);
      assertEquals(Errno.OK, client.read(5, striping, 131_072, rest).errno());
      assertEquals(-1, rest.mismatch(data.asSlice(131_072, 100_000)));
      assertEquals(1, client.scrub(5, striping, 300_000).badBlocks());
      assertTrue(cluster.daemon(0).disk().checksumErrors() >= 2);
      assertEquals(Errno.OK, client.write(5, striping, 65_536, data.asSlice(65_536, 65_536)).errno(), "a whole block mends it");
      assertEquals(0, client.scrub(5, striping, 300_000).badBlocks());
      assertHas(client, 5, striping, data);
      cluster.assertIdle();
    }
  }

  /** One request for each part that has something, whatever holes there are. */
  @Test
  @Timeout(180)
  void shouldScrubWhatIsThereOfAFileOfHoles() throws IOException {
    Striping striping = new Striping(0, 4, 65_536, 4);
    long bytes = 1L << 45;
    try (StripedCluster cluster = cluster(4, ""); DataClient client = cluster.client(null)) {
      assertEquals(Errno.OK, client.truncate(5, striping, bytes).errno());
      assertEquals(Errno.OK, client.write(5, striping, bytes - 65_536, random(9, 65_536)).errno());
      assertEquals(Errno.OK, client.sync(5, striping).errno());
      assertEquals(0, client.scrub(5, striping, bytes).badBlocks());
      int slot = striping.slotOf(bytes - 1);
      try (RandomAccessFile raw = new RandomAccessFile(file(directory.resolve("io-" + slot), 5).toFile(), "rw")) {
        raw.seek(striping.localOf(bytes - 1));
        raw.write(~data(bytes - 1, client, striping));
      }
      assertEquals(1, client.scrub(5, striping, bytes).badBlocks());
      for (int daemon = 0; daemon < 4; daemon++) {
        DaemonSnapshot state = cluster.daemon(daemon);
        assertEquals(2, state.requests().get(DaemonOp.SCRUB.ordinal()), state::toString);
        assertTrue(state.disk().bytesRead() <= 4 * 65_536, state::toString);
      }
      cluster.assertIdle();
    }
  }

  private static byte data(long offset, DataClient client, Striping striping) {
    MemorySegment one = random(0, 1);
    assertEquals(Errno.OK, client.read(5, striping, offset, one).errno());
    return one.get(ValueLayout.JAVA_BYTE, 0);
  }

  @Test
  void shouldScrubALongObjectByParts() throws IOException {
    Striping striping = new Striping(0, 1, 65_536, 1);
    try (StripedCluster cluster = cluster(1, ""); DataClient client = cluster.client(null)) {
      assertEquals(Errno.OK, client.write(5, striping, 0, random(9, 18 << 20)).errno());
      assertEquals(Errno.OK, client.sync(5, striping).errno());
      try (RandomAccessFile raw = new RandomAccessFile(file(directory.resolve("io-0"), 5).toFile(), "rw")) {
        for (int at : new int[] {0, 5 << 20, 6 << 20, (18 << 20) - 1}) {
          raw.seek(at);
          int was = raw.read();
          raw.seek(at);
          raw.write(~was);
        }
      }
      assertEquals(4, client.scrub(5, striping, 18 << 20).badBlocks());
      assertEquals(5, cluster.daemon(0).requests().get(DaemonOp.SCRUB.ordinal()));
      cluster.assertIdle();
    }
  }

  @Test
  void shouldRefuseADirectoryThatIsInUseOrNotItsOwn() throws IOException {
    try (StripedCluster cluster = cluster(2, "")) {
      StoreException used = assertThrows(StoreException.class, () -> cluster.startDaemon(0));
      assertTrue(used.getMessage().contains("in use by another daemon (this process, " + ProcessHandle.current().pid()), used.getMessage());
      cluster.stopDaemon(0);
      cluster.stopDaemon(1);
      Path one = directory.resolve("io-0");
      Path format = one.resolve("daemon.format");
      String was = Files.readString(format);
      assertRefused(cluster, format, was.replace("daemon=io-0", "daemon=io-1"), "has the stripes of daemon io-1, not of io-0");
      assertRefused(cluster, format, was.replace("version=1", "version=2"), "has the layout of version 2, not of 1");
      assertRefused(cluster, format, was.replace("run=1", "run=many"), "'run' is 'many', must be a number");
      Files.delete(format);
      StoreException stranger = assertThrows(StoreException.class, () -> cluster.startDaemon(0));
      assertTrue(stranger.getMessage().contains("has objects and no daemon.format"), stranger.getMessage());
      Files.writeString(format, was);
      cluster.daemons.set(0, cluster.startDaemon(0));
      assertTrue(Files.readString(format).contains("run=2"), "a start that was refused is none");
    }
  }

  private static void assertRefused(StripedCluster cluster, Path format, String text, String why) throws IOException {
    Files.writeString(format, text);
    StoreException refused = assertThrows(StoreException.class, () -> cluster.startDaemon(0));
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
  }

  @Test
  void shouldForgetWhatAClientHadUnderWay() {
    try (StripedCluster cluster = cluster(1, ""); DataClient other = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      for (int round = 0; round < 5; round++) {
        DataClient client = cluster.client(Band.SERVER);
        MemorySegment data = random(round, 8 << 20);
        for (int i = 0; i < 4; i++) {
          client.begin(DaemonOp.WRITE, 1, striping, new long[] {0}, new long[] {data.byteSize()}, new MemorySegment[] {data}, _ -> { });
        }
        client.close();
      }
      MemorySegment data = random(99, 200_000);
      assertEquals(Errno.OK, other.truncate(1, striping, 0).errno(), "what waits for writes that were given up goes on");
      assertEquals(Errno.OK, other.write(1, striping, 0, data).errno());
      assertHas(other, 1, striping, data);
      Waits.await(() -> cluster.daemon(0).clients().size() == 1, () -> cluster.daemon(0).clients().toString());
      cluster.assertIdle();
    }
  }

  @Test
  void shouldListWhatIsOnDisk() {
    try (StripedCluster cluster = cluster(1, "weft.pvfs.daemon.objects-open = 16\n"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      TreeMap<Long, Long> expected = new TreeMap<>();
      for (long object = 1; object <= 600; object += 7) {
        assertEquals(Errno.OK, client.write(object, striping, 0, random(object, (int) object)).errno());
        expected.put(object, object);
      }
      assertEquals(Errno.OK, client.remove(8, striping).errno());
      assertEquals(Errno.ENOENT, client.write(8, striping, 0, random(1, 1)).errno());
      expected.remove(8L);
      assertEquals(expected, DaemonObjectsTest.list(client, 0, 16 * 7));
      for (long object : expected.keySet()) {
        assertHas(client, object, striping, random(object, (int) object));
      }
      assertEquals(expected.size(), cluster.daemon(0).objects());
      cluster.assertIdle();
    }
  }

  @Test
  void shouldKeepWhatManyRangesOfOneRequestWrite() {
    try (StripedCluster cluster = cluster(2, "weft.pvfs.daemon.transfer = 64 KiB\n"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(1, 2, 1000, 2);
      int count = 200;
      long[] offsets = new long[count];
      long[] lengths = new long[count];
      for (int i = 0; i < count; i++) {
        offsets[i] = i * 5_000L;
        lengths[i] = 3_000;
      }
      MemorySegment data = random(4, count * 3_000);
      assertEquals(Errno.OK, client.call(DaemonOp.WRITE, 3, striping, offsets, lengths, new MemorySegment[] {data}).errno());
      MemorySegment back = random(5, count * 3_000);
      assertEquals(Errno.OK, client.call(DaemonOp.READ, 3, striping, offsets, lengths, new MemorySegment[] {back}).errno());
      assertArrayEquals(data.toArray(ValueLayout.JAVA_BYTE), back.toArray(ValueLayout.JAVA_BYTE));
      cluster.assertIdle();
    }
  }
}
