package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that changes on its way between a program and the I/O daemons: it is found, and sent again. */
@Tag("slow")
@Tag("actor")
@Timeout(240)
class EndToEndTest {
  private static final Striping ALONE = new Striping(0, 1, 65_536, 1);
  private static final int FOR_EVER = Integer.MAX_VALUE;
  private static final int TRIES = 4;

  @TempDir private Path directory;

  /**
   * Changes a byte of the program's memory where the client has its checksum, or makes none yet, and the daemon has, or makes, the other: of a write behind the
   * checksum and before its data is taken, of a read when its data has come, and before the checksum is made of it. On the client's thread.
   */
  private static final class Flip implements CapabilitySource, Costs {
    private final Band band;
    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile MemorySegment memory;

    Flip(Band band) {
      this.band = band;
    }

    private void flip(AtomicInteger times) {
      if (times.getAndUpdate(left -> left == FOR_EVER ? left : Math.max(0, left - 1)) > 0) {
        long at = memory.byteSize() / 2;
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ 4));
      }
    }

    @Override
    public byte[] of(long object, DaemonOp op) {
      if (op == DaemonOp.WRITE) {
        flip(writes);
      }
      return null;
    }

    @Override
    public boolean renew(long object, Runnable then) {
      return false;
    }

    @Override
    public void copies(long bytes) {
      if (band.hasDataBehind()) {
        flip(reads);
      }
    }

    @Override
    public void receives(long bytes) {
      if (!band.hasDataBehind() && bytes == DaemonReply.BYTES) { // An answer, and no loan.
        flip(reads);
      }
    }
  }

  private static Stream<Arguments> bandsAndStores() {
    return Arrays.stream(Band.values()).flatMap(band -> Stream.of(Arguments.of(band, false), Arguments.of(band, true)));
  }

  private StripedCluster cluster(boolean isOnDisk, String settings) {
    return new StripedCluster(1, (isOnDisk ? "weft.pvfs.daemon.directory = \"" + directory + "\"\nweft.pvfs.daemon.zones = 12 MiB\n" : "")
        + "weft.pvfs.client.checksum-tries = " + TRIES + "\n" + settings);
  }

  private static ClientSettings settings(StripedCluster cluster, Band band) {
    return ClientSettings.from(cluster.config).withForced(band);
  }

  private static DataClient writer(StripedCluster cluster, Band band, Flip flip) {
    return DataClient.start(cluster.fabric, cluster.fabric.addNode("writer"), "test", cluster.addresses, settings(cluster, band), flip);
  }

  private static DataClient reader(StripedCluster cluster, Band band, Flip flip) {
    return DataClient.charged(cluster.fabric, cluster.fabric.addNode("reader"), "test", cluster.addresses, settings(cluster, band), flip);
  }

  private static ClientSnapshot state(StripedCluster cluster, DataClient client) {
    return Waits.ask(cluster.fabric, client::inspect);
  }

  /** Of a length that the band carries; beyond that of a transfer where it may be. */
  private static int bytes(Band band) {
    return switch (band) {
      case INLINE -> 3000;
      case FAST -> 40_000;
      case SERVER -> 2_500_000;
      case CLIENT -> 500_000;
    };
  }

  private static MemorySegment random(long seed, int bytes) {
    byte[] content = new byte[bytes];
    new Random(seed).nextBytes(content);
    return Arena.ofAuto().allocate(bytes).copyFrom(MemorySegment.ofArray(content));
  }

  private static MemorySegment copy(MemorySegment memory) {
    return Arena.ofAuto().allocate(memory.byteSize()).copyFrom(memory);
  }

  private static void assertHas(StripedCluster cluster, MemorySegment data) {
    try (DataClient other = cluster.client(null)) {
      MemorySegment back = Arena.ofAuto().allocate(data.byteSize());
      assertEquals(Errno.OK, other.read(1, ALONE, 0, back).errno());
      assertEquals(-1, data.mismatch(back));
    }
  }

  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldSendAgainWhatChangedOnItsWayToTheDaemon(Band band, boolean isOnDisk) {
    Flip flip = new Flip(band);
    try (StripedCluster cluster = cluster(isOnDisk, ""); DataClient client = writer(cluster, band, flip)) {
      flip.memory = random(1, bytes(band));
      MemorySegment before = copy(flip.memory);
      flip.writes.set(2);
      IoTask task = client.write(1, ALONE, 0, flip.memory);
      assertEquals(Errno.OK, task.errno());
      assertEquals(0, flip.writes.get(), "it changed twice, and so is what it was");
      assertEquals(-1, before.mismatch(flip.memory));
      assertHas(cluster, before);
      assertEquals(2, cluster.daemon(0).badWrites());
      assertEquals(2, state(cluster, client).badWrites());
      assertEquals(0, state(cluster, client).errors());
      cluster.assertIdle();
    }
  }

  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldEndWithAnErrorWhereItChangesEachTime(Band band, boolean isOnDisk) {
    Flip flip = new Flip(band);
    try (StripedCluster cluster = cluster(isOnDisk, ""); DataClient client = writer(cluster, band, flip)) {
      MemorySegment before = random(2, bytes(band) / 2);
      flip.memory = before;
      assertEquals(Errno.OK, client.write(1, ALONE, 0, before).errno());
      flip.memory = random(3, bytes(band));
      flip.writes.set(FOR_EVER);
      assertEquals(Errno.EIO, client.write(1, ALONE, 0, flip.memory).errno());
      assertEquals(TRIES, cluster.daemon(0).badWrites());
      assertEquals(TRIES, state(cluster, client).badWrites());
      assertEquals(1, state(cluster, client).errors());
      assertEquals(before.byteSize(), client.stat(1, ALONE).fileBytes(), "the file is no longer");
      if (band != Band.SERVER) { // What the daemon fetched lies where it belongs, and is told.
        assertHas(cluster, before);
      }
      flip.writes.set(0);
      assertEquals(Errno.OK, client.write(1, ALONE, 0, flip.memory).errno(), "the next one");
      assertHas(cluster, flip.memory);
      cluster.assertIdle();
    }
  }

  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldAskAgainForWhatChangedOnItsWayToTheProgram(Band band, boolean isOnDisk) {
    Flip flip = new Flip(band);
    try (StripedCluster cluster = cluster(isOnDisk, ""); DataClient client = reader(cluster, band, flip)) {
      MemorySegment data = random(4, bytes(band));
      assertEquals(Errno.OK, client.write(1, ALONE, 0, data).errno());
      flip.memory = Arena.ofAuto().allocate(bytes(band));
      flip.reads.set(2);
      assertEquals(Errno.OK, client.read(1, ALONE, 0, flip.memory).errno());
      assertEquals(0, flip.reads.get());
      assertEquals(-1, data.mismatch(flip.memory));
      assertEquals(2, state(cluster, client).badReads());
      assertEquals(bytes(band), state(cluster, client).bytesRead(), "what did not come as it was sent does not count");
      flip.reads.set(FOR_EVER);
      assertEquals(Errno.EIO, client.read(1, ALONE, 0, flip.memory).errno());
      assertEquals(2 + TRIES, state(cluster, client).badReads());
      flip.reads.set(0);
      assertEquals(Errno.OK, client.read(1, ALONE, 0, flip.memory).errno());
      assertEquals(-1, data.mismatch(flip.memory));
      assertEquals(0, cluster.daemon(0).badWrites());
      cluster.assertIdle();
    }
  }

  /** Many ranges of the file, and pieces of memory that are cut otherwise. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldFindWhatChangesInAListOfRanges(Band band) {
    Flip flip = new Flip(band);
    try (StripedCluster cluster = cluster(false, ""); DataClient client = writer(cluster, band, flip)) {
      long[] offsets = new long[200];
      long[] lengths = new long[200];
      for (int i = 0; i < offsets.length; i++) {
        offsets[i] = i * 1000L;
        lengths[i] = 10 + i;
      }
      MemorySegment all = random(5, (int) Arrays.stream(lengths).sum());
      MemorySegment[] pieces = {all.asSlice(0, 7), all.asSlice(7, 8000), all.asSlice(8007)};
      flip.memory = all.asSlice(0, 100);
      flip.writes.set(1);
      assertEquals(Errno.OK, client.call(DaemonOp.WRITE, 1, ALONE, offsets, lengths, pieces).errno());
      assertEquals(1, state(cluster, client).badWrites());
      MemorySegment back = Arena.ofAuto().allocate(all.byteSize());
      assertEquals(Errno.OK, client.call(DaemonOp.READ, 1, ALONE, offsets, lengths, new MemorySegment[] {back}).errno());
      assertEquals(-1, all.mismatch(back));
      assertEquals(0, state(cluster, client).badReads());
    }
  }

  /** The later range is what lies there in the end; the checksum of what was sent has both. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldWriteRangesThatReachOverEachOther(Band band) {
    try (StripedCluster cluster = cluster(false, ""); DataClient client = writer(cluster, band, new Flip(band))) {
      MemorySegment all = random(7, 40_000);
      assertEquals(Errno.OK, client.call(DaemonOp.WRITE, 1, ALONE, new long[] {0, 10_000}, new long[] {20_000, 20_000}, new MemorySegment[] {all}).errno());
      MemorySegment back = Arena.ofAuto().allocate(30_000);
      assertEquals(Errno.OK, client.read(1, ALONE, 0, back).errno());
      assertEquals(-1, all.asSlice(0, 10_000).mismatch(back.asSlice(0, 10_000)));
      assertEquals(-1, all.asSlice(20_000).mismatch(back.asSlice(10_000)));
      assertEquals(0, state(cluster, client).badWrites());
      cluster.assertIdle();
    }
  }

  @Test
  void shouldFindItAlsoWhereClientsWriteByThemselvesAndDaemonsAnswerReads() {
    Flip flip = new Flip(Band.CLIENT);
    try (StripedCluster cluster = cluster(false, "weft.pvfs.client.band = hybrid");
        DataClient client = DataClient.start(cluster.fabric, cluster.fabric.addNode("hybrid"), "test", cluster.addresses,
            ClientSettings.from(cluster.config), flip)) {
      flip.memory = random(6, 300_000);
      flip.writes.set(1);
      assertEquals(Errno.OK, client.write(1, ALONE, 0, flip.memory).errno());
      assertEquals(1, state(cluster, client).badWrites());
      assertHas(cluster, flip.memory);
    }
  }

  @Test
  void shouldNotLookWhereItIsToldNotTo() {
    Flip flip = new Flip(Band.INLINE);
    try (StripedCluster cluster = cluster(false, "weft.pvfs.client.checksum = disk"); DataClient client = writer(cluster, Band.INLINE, flip)) {
      flip.memory = random(7, 1000);
      MemorySegment before = copy(flip.memory);
      flip.writes.set(1);
      assertEquals(Errno.OK, client.write(1, ALONE, 0, flip.memory).errno());
      assertEquals(0, cluster.daemon(0).badWrites());
      assertNotEquals(-1, before.mismatch(flip.memory));
      assertHas(cluster, flip.memory);
    }
  }

  /** What a program does to itself: each operation ends, well or with EIO, and the client goes on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndWhateverAnotherThreadDoesToTheMemory(boolean isOnDisk) throws InterruptedException {
    try (StripedCluster cluster = cluster(isOnDisk, ""); DataClient client = cluster.client(null)) {
      MemorySegment memory = random(8, 600_000);
      AtomicInteger over = new AtomicInteger();
      Thread other = Thread.ofPlatform().start(() -> {
        for (int i = 0; over.get() == 0; i++) {
          memory.set(ValueLayout.JAVA_INT, 4L * (i * 31 & 0xffff), i);
        }
      });
      try {
        for (int i = 0; i < 20; i++) {
          int bytes = i % 3 == 0 ? 2000 : i % 3 == 1 ? 50_000 : 600_000;
          int written = client.write(1, ALONE, 0, memory.asSlice(0, bytes)).errno();
          assertTrue(written == Errno.OK || written == Errno.EIO, () -> Errno.text(written));
          int read = client.read(1, ALONE, 0, memory.asSlice(0, bytes)).errno();
          assertTrue(read == Errno.OK || read == Errno.EIO, () -> Errno.text(read));
        }
      } finally {
        over.set(1);
        other.join();
      }
      assertEquals(Errno.OK, client.write(1, ALONE, 0, memory).errno());
      assertHas(cluster, memory);
      cluster.assertIdle();
    }
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldRefuseMemoryThatHasNoPagesAnyMore(Band band) throws IOException {
    Path path = Files.write(directory.resolve("mapped"), new byte[1 << 20]);
    try (StripedCluster cluster = cluster(false, ""); DataClient client = cluster.client(band);
        FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE); Arena arena = Arena.ofShared()) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 20, arena);
      file.truncate(0);
      assertEquals(Errno.EFAULT, client.write(1, ALONE, 0, mapped.asSlice(0, bytes(band) % (1 << 20))).errno());
      assertEquals(0, client.stat(1, ALONE).fileBytes());
      assertEquals(Errno.OK, client.write(1, ALONE, 0, random(9, 1000)).errno());
    }
  }

  /**
   * Readers and writers of the same bytes, by bands that move data as it lies in the stripes: none of them sees it change between the checksum and the
   * data, so that nothing is sent again; and each reader sees bytes of one write.
   */
  @ParameterizedTest
  @EnumSource(value = Band.class, names = {"FAST", "SERVER"})
  void shouldNotTakeForDamageWhatOthersWriteAtTheSameTime(Band band) throws InterruptedException {
    int bytes = band == Band.FAST ? 60_000 : 1 << 20;
    try (StripedCluster cluster = cluster(false, ""); DataClient first = cluster.client(band); DataClient second = cluster.client(Band.SERVER)) {
      assertEquals(Errno.OK, first.write(1, ALONE, 0, Arena.ofAuto().allocate(bytes).fill((byte) 1)).errno());
      List<String> wrong = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte mine = (byte) (2 + i);
        DataClient client = i % 2 == 0 ? first : second;
        threads.add(Thread.ofPlatform().start(() -> {
          MemorySegment from = Arena.ofAuto().allocate(bytes).fill(mine);
          MemorySegment back = Arena.ofAuto().allocate(bytes);
          for (int round = 0; round < 40; round++) {
            int written = client.write(1, ALONE, 0, from).errno();
            int read = client.read(1, ALONE, 0, back).errno();
            boolean isOfOne = back.asSlice(1).mismatch(back.asSlice(0, bytes - 1)) == -1;
            if (written != Errno.OK || read != Errno.OK || !isOfOne) {
              synchronized (wrong) {
                wrong.add(Errno.name(written) + ", " + Errno.name(read) + (isOfOne ? "" : ", of two writes"));
              }
            }
          }
        }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(List.of(), wrong);
      DaemonSnapshot daemon = cluster.daemon(0);
      assertEquals(0, daemon.badWrites());
      assertEquals(0, state(cluster, first).badReads() + state(cluster, second).badReads());
      cluster.assertIdle();
    }
  }
}
