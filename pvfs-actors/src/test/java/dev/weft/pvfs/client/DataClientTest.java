package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.javadsl.AskPattern;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@Tag("actor")
@Timeout(240)
class DataClientTest {
  private static MemorySegment memory(byte[] bytes) {
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length);
    MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return memory;
  }

  private static MemorySegment garbage(int bytes) {
    return Arena.ofAuto().allocate(Math.max(1, bytes)).asSlice(0, bytes).fill((byte) 0x5a);
  }

  private static byte[] random(Random random, int bytes) {
    byte[] data = new byte[bytes];
    random.nextBytes(data);
    return data;
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldReadWhatWasWrittenOverTwoStripes(Band band) {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(band)) {
      Striping striping = new Striping(0, 2, 65_536, 2);
      byte[] data = random(new Random(1), 1 << 20);
      assertEquals(Errno.OK, client.write(7, striping, 0, memory(data)).errno());
      MemorySegment back = garbage(1 << 20);
      IoTask read = client.read(7, striping, 0, back);
      assertEquals(Errno.OK, read.errno());
      assertEquals(1 << 20, read.bytes());
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(1 << 20, client.stat(7, striping).fileBytes());
      DaemonSnapshot daemon = cluster.daemon(0);
      assertEquals(1 << 19, daemon.bytesWritten());
      assertEquals(1 << 19, daemon.bytesRead());
      assertEquals(band == Band.CLIENT ? 1 << 20 : 0, daemon.bytesCopied(), "1 MiB is beyond what goes inline or fast; lent buffers are copied");
      assertEquals(0, daemon.lent());
    }
  }

  @Test
  void shouldTakeTurnsWithTheBuffersThatADaemonLends() throws InterruptedException {
    try (StripedCluster cluster = new StripedCluster(2, "weft.pvfs.daemon.direct-buffers = 1\nweft.pvfs.client.request = 64 KiB");
        DataClient client = cluster.client(Band.CLIENT); DataClient other = cluster.client(Band.CLIENT)) {
      Striping striping = new Striping(0, 2, 10_000, 2);
      byte[] data = random(new Random(3), 600_000);
      List<Thread> threads = new ArrayList<>();
      AtomicInteger wrong = new AtomicInteger();
      for (int i = 0; i < 4; i++) {
        long file = 20 + i;
        DataClient mine = i % 2 == 0 ? client : other;
        threads.add(Thread.ofPlatform().start(() -> {
          MemorySegment back = garbage(data.length);
          boolean isRight = mine.write(file, striping, 0, memory(data)).errno() == Errno.OK && mine.read(file, striping, 0, back).errno() == Errno.OK
              && Arrays.equals(data, back.toArray(ValueLayout.JAVA_BYTE));
          wrong.addAndGet(isRight ? 0 : 1);
        }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(0, wrong.get());
      assertEquals(0, cluster.daemon(0).lent());
      assertTrue(cluster.daemon(0).bands().get(Band.CLIENT.ordinal()) >= 40, cluster.daemon(0).toString());
    }
  }

  @Test
  void shouldWriteByItselfAndLetDaemonsAnswerReadsWhereItIsHybrid() {
    try (StripedCluster cluster = new StripedCluster(1, "weft.pvfs.client.band = hybrid"); DataClient client = cluster.client()) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      byte[] data = random(new Random(4), 100_000);
      assertEquals(Errno.OK, client.write(7, striping, 5, memory(data)).errno());
      MemorySegment back = garbage(100_000);
      assertEquals(Errno.OK, client.read(7, striping, 5, back).errno());
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
      List<Long> bands = cluster.daemon(0).bands();
      assertEquals(List.of(1L, 1L), List.of(bands.get(Band.CLIENT.ordinal()), bands.get(Band.SERVER.ordinal())));
    }
  }

  @Test
  void shouldShowByWhichBandsDataMoves() {
    try (StripedCluster cluster = new StripedCluster(1, ""); DataClient client = cluster.client()) {
      assertEquals(Errno.OK, client.write(7, new Striping(0, 1, 65_536, 1), 0, memory(new byte[10_000])).errno());
      CompletableFuture<ClientSnapshot> state = AskPattern.<PvfsClientActor.Command, ClientSnapshot>ask(client.actor(), PvfsClientActor.Inspect::new,
          StripedCluster.PATIENCE, cluster.fabric.system().scheduler()).toCompletableFuture();
      assertEquals("writes fast to 16384; longer ones by server", cluster.fabric.await(state, StripedCluster.PATIENCE).daemons().getFirst().bands());
    }
  }

  @Test
  void shouldLetDaemonsMoveDataThatFitsIntoNoBufferOfTheirs() {
    try (StripedCluster cluster = new StripedCluster(1, "weft.pvfs.daemon.transfer = 64 KiB"); DataClient client = cluster.client(Band.CLIENT)) {
      Striping striping = new Striping(0, 1, 1 << 20, 1);
      byte[] data = random(new Random(5), 200_000);
      assertEquals(Errno.OK, client.write(7, striping, 0, memory(data)).errno());
      MemorySegment back = garbage(200_000);
      assertEquals(Errno.OK, client.read(7, striping, 0, back).errno());
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(2, cluster.daemon(0).bands().get(Band.SERVER.ordinal()));
    }
  }

  /** Random operations beside the same on an array. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldDoWhatAnArrayDoes(Band band) {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    try (StripedCluster cluster = new StripedCluster(3, ""); DataClient client = cluster.client(band)) {
      for (int file = 1; file <= 4; file++) {
        int count = 1 + random.nextInt(3);
        Striping striping = new Striping(random.nextInt(3), count, 1 + random.nextInt(random.nextBoolean() ? 100 : 100_000), 3);
        new FileModel(client, striping, file, random).run(60, "seed " + seed + ", file " + file + ", " + striping);
      }
    }
  }

  /** One request for each daemon, not one for each GiB. */
  @Test
  void shouldMakeAHoleOfAnyLength() {
    try (StripedCluster cluster = new StripedCluster(3, ""); DataClient client = cluster.client(Band.INLINE)) {
      shouldMakeAHole(client, new Striping(0, 3, 65_536, 3), 1L << 62);
      cluster.assertIdle();
    }
  }

  /** With data at its begin, in its middle and at its end, of which a byte on either side stays. */
  static void shouldMakeAHole(DataClient client, Striping striping, long fileBytes) {
    byte[] data = new byte[300_000];
    Arrays.fill(data, (byte) 'x');
    long[] places = {0, fileBytes / 2 - 1234, fileBytes - data.length};
    for (long place : places) {
      assertEquals(Errno.OK, client.write(5, striping, place, memory(data)).errno());
    }
    assertEquals(Errno.OK, client.punch(5, striping, 1, fileBytes - 2).errno());
    for (long place : places) {
      MemorySegment back = garbage(data.length);
      assertEquals(Errno.OK, client.read(5, striping, place, back).errno());
      byte[] wanted = new byte[data.length];
      wanted[0] = (byte) (place == places[0] ? 'x' : 0);
      wanted[wanted.length - 1] = (byte) (place == places[2] ? 'x' : 0);
      assertArrayEquals(wanted, back.toArray(ValueLayout.JAVA_BYTE));
    }
    assertEquals(fileBytes, client.stat(5, striping).fileBytes());
    assertEquals(Errno.OK, client.punch(5, striping, fileBytes, 1L << 61).errno(), "where there is nothing");
    assertEquals(Errno.OK, client.punch(5, striping, 7, 0).errno());
  }

  static final class FileModel {
    private final DataClient client;
    private final Striping striping;
    private final long file;
    private final Random random;
    private byte[] expected = new byte[0];

    FileModel(DataClient client, Striping striping, long file, Random random) {
      this.client = client;
      this.striping = striping;
      this.file = file;
      this.random = random;
    }

    void run(int steps, String what) {
      for (int step = 0; step < steps; step++) {
        String where = what + ", step " + step;
        int offset = random.nextInt(300_000);
        int bytes = random.nextInt(random.nextBoolean() ? 6_000 : 200_000);
        switch (random.nextInt(6)) {
          case 0, 1 -> write(offset, bytes, where);
          case 2 -> truncate(offset, where);
          case 3 -> punch(offset, bytes, where);
          default -> read(offset, bytes, where);
        }
        assertEquals(expected.length, client.stat(file, striping).fileBytes(), where);
      }
    }

    private void write(int offset, int bytes, String where) {
      byte[] data = random(random, bytes);
      if (bytes > 0) {
        expected = Arrays.copyOf(expected, Math.max(expected.length, offset + bytes));
        System.arraycopy(data, 0, expected, offset, bytes);
      }
      assertEquals(Errno.OK, client.write(file, striping, offset, memory(data)).errno(), where);
    }

    private void truncate(int bytes, String where) {
      expected = Arrays.copyOf(expected, bytes);
      assertEquals(Errno.OK, client.truncate(file, striping, bytes).errno(), where);
    }

    private void punch(int offset, int bytes, String where) {
      if (offset < expected.length) {
        Arrays.fill(expected, offset, Math.min(expected.length, offset + bytes), (byte) 0);
      }
      assertEquals(Errno.OK, client.punch(file, striping, offset, bytes).errno(), where);
    }

    private void read(int offset, int bytes, String where) {
      MemorySegment back = garbage(bytes);
      IoTask task = client.read(file, striping, offset, back);
      assertEquals(Errno.OK, task.errno(), where);
      assertEquals(Math.clamp(expected.length - offset, 0, bytes), task.bytes(), where);
      byte[] wanted = new byte[bytes];
      if (offset < expected.length) {
        System.arraycopy(expected, offset, wanted, 0, (int) task.bytes());
      }
      assertArrayEquals(wanted, back.toArray(ValueLayout.JAVA_BYTE), where);
    }
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldMoveListsOfRangesOnBothSides(Band band) {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(band)) {
      Striping striping = new Striping(1, 2, 1000, 2);
      Random random = new Random(3);
      int ranges = 200;
      long[] offsets = new long[ranges];
      long[] lengths = new long[ranges];
      for (int i = 0; i < ranges; i++) {
        offsets[i] = i * 700L;
        lengths[i] = 1 + random.nextInt(700);
      }
      int total = (int) Arrays.stream(lengths).sum();
      byte[] data = random(random, total);
      MemorySegment all = memory(data);
      MemorySegment[] pieces = {all.asSlice(0, 10), all.asSlice(10, total / 2), all.asSlice(10 + total / 2)};
      assertEquals(Errno.OK, client.call(DaemonOp.WRITE, 1, striping, offsets, lengths, pieces).errno());
      MemorySegment back = garbage(total);
      IoTask read = client.call(DaemonOp.READ, 1, striping, offsets, lengths, new MemorySegment[] {back});
      assertEquals(total, read.bytes());
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(offsets[ranges - 1] + lengths[ranges - 1], client.stat(1, striping).fileBytes());
    }
  }

  @Test
  void shouldSayThatThereIsNoRoomAndLoseNothing() {
    try (StripedCluster cluster = new StripedCluster(1, "weft.pvfs.daemon.memory = 256 KiB"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      byte[] data = random(new Random(4), 100_000);
      assertEquals(Errno.OK, client.write(1, striping, 0, memory(data)).errno());
      assertEquals(Errno.ENOSPC, client.write(2, striping, 0, memory(new byte[200_000])).errno());
      assertEquals(0, client.stat(2, striping).fileBytes());
      MemorySegment back = garbage(100_000);
      assertEquals(100_000, client.read(1, striping, 0, back).bytes());
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(Errno.OK, client.remove(1, striping).errno());
      assertEquals(Errno.OK, client.write(2, striping, 0, memory(new byte[200_000])).errno(), "room of a file that was removed");
    }
  }

  @Test
  void shouldKeepHolesHoweverFarAFileReaches() {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 65_536, 2);
      long far = Striping.FILE_BYTES_MAX - 10;
      assertEquals(Errno.OK, client.write(1, striping, far, memory(new byte[] {1, 2, 3})).errno());
      assertEquals(far + 3, client.stat(1, striping).fileBytes());
      MemorySegment back = garbage(100);
      assertEquals(100, client.read(1, striping, 1L << 40, back).bytes());
      assertArrayEquals(new byte[100], back.toArray(ValueLayout.JAVA_BYTE));
      assertEquals("a range of 3 bytes from " + (Striping.FILE_BYTES_MAX - 1) + ", must lie between 0 and " + Striping.FILE_BYTES_MAX,
          assertThrows(IllegalArgumentException.class, () -> client.write(1, striping, Striping.FILE_BYTES_MAX - 1, memory(new byte[3]))).getMessage());
    }
  }

  @Test
  void shouldRefuseMemoryThatItCannotUse() {
    try (StripedCluster cluster = new StripedCluster(1, ""); DataClient client = cluster.client(null); Arena confined = Arena.ofConfined()) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      assertTrue(assertThrows(IllegalArgumentException.class, () -> client.write(1, striping, 0, MemorySegment.ofArray(new byte[9]))).getMessage()
          .startsWith("memory that is not native"));
      assertTrue(assertThrows(IllegalArgumentException.class, () -> client.write(1, striping, 0, confined.allocate(9))).getMessage()
          .startsWith("memory of a confined arena"));
      assertTrue(assertThrows(IllegalArgumentException.class, () -> client.read(1, striping, 0, Arena.ofAuto().allocate(9).asReadOnly())).getMessage()
          .startsWith("memory to read into that is read-only"));
      Arena shared = Arena.ofShared();
      MemorySegment closed = shared.allocate(1 << 20);
      shared.close();
      assertEquals(Errno.EFAULT, client.write(1, striping, 0, closed.asSlice(0, 100)).errno());
      assertEquals(Errno.EFAULT, client.write(1, striping, 0, closed).errno());
      assertEquals(0, client.stat(1, striping).fileBytes());
    }
  }

  @Test
  void shouldGoOnWithADaemonThatStartsAnew() throws Exception {
    try (StripedCluster cluster = new StripedCluster(2, "weft.pvfs.client.patience = 20 s"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 1000, 2);
      assertEquals(Errno.OK, client.write(1, striping, 0, memory(new byte[5000])).errno());
      cluster.daemons.get(1).stop();
      Thread restart = Thread.ofPlatform().start(() -> {
        cluster.fabric.await(() -> false, java.time.Duration.ofMillis(300));
        cluster.daemons.set(1, cluster.startDaemon(1));
      });
      assertEquals(Errno.OK, client.write(1, striping, 5000, memory(new byte[5000])).errno());
      restart.join();
      assertEquals(10_000, client.stat(1, striping).fileBytes());
    }
  }

  @Test
  void shouldEndWithAnErrorWhenADaemonDoesNotComeBack() {
    try (StripedCluster cluster = new StripedCluster(2, "weft.pvfs.client.patience = 300 ms"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 1000, 2);
      cluster.daemons.get(1).stop();
      cluster.fabric.await(() -> false, java.time.Duration.ofMillis(200));
      assertEquals(Errno.EIO, client.write(1, striping, 0, memory(new byte[5000])).errno());
      assertEquals(Errno.OK, client.write(2, new Striping(0, 1, 1000, 2), 0, memory(new byte[5000])).errno(), "of the other daemon");
    }
  }

  /** It has been given up: if each call waited anew, these would take an hour. */
  @Test
  void shouldFailAtOnceWhileADaemonStaysAway() {
    try (StripedCluster cluster = new StripedCluster(2, "weft.pvfs.client.patience = 2 s"); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 1000, 2);
      assertEquals(Errno.OK, client.write(1, striping, 0, memory(new byte[5000])).errno());
      cluster.daemons.get(1).stop();
      for (int i = 0; i < 2000; i++) {
        int errno = client.write(1, striping, 0, memory(new byte[5000])).errno();
        assertTrue(errno == Errno.EIO || errno == Errno.OK && i == 0, "write " + i + ": " + errno);
      }
      cluster.daemons.set(1, cluster.startDaemon(1));
      while (client.write(1, striping, 0, memory(new byte[5000])).errno() != Errno.OK) {
        cluster.fabric.await(() -> false, java.time.Duration.ofMillis(20)); // It is not reached yet.
      }
      assertEquals(5000, client.stat(1, striping).fileBytes());
    }
  }

  /** As df and umount need it: with an hour's patience for all else. */
  @Test
  void shouldCountTheRoomOfTheDaemonsThatAnswer() {
    try (StripedCluster cluster = new StripedCluster(2, "weft.pvfs.client.patience = 1 h"); DataClient client = cluster.client(null)) {
      assertEquals(32 << 20, client.room(1).totalBytes());
      cluster.daemons.get(1).stop();
      while (client.room(1).totalBytes() != 16 << 20) {
        cluster.fabric.await(() -> false, java.time.Duration.ofMillis(20)); // It had answered before it stopped.
      }
      assertEquals(Errno.OK, client.room(1).errno());
      cluster.daemons.get(0).stop();
      while (client.room(1).errno() != Errno.EIO) {
        cluster.fabric.await(() -> false, java.time.Duration.ofMillis(20));
      }
    }
  }

  /** What lies in the lent buffers is another request's. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldReadZerosWhereOneDaemonHasNothingAndAnotherMore(Band band) {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(band)) {
      Striping striping = new Striping(0, 2, 65_536, 2);
      MemorySegment other = memory(random(new Random(9), 60_000));
      for (int i = 0; i < 8; i++) { // Every lent buffer has had something.
        assertEquals(Errno.OK, client.write(9, striping, 0, other).errno());
        assertEquals(Errno.OK, client.read(9, striping, 0, other).errno());
      }
      assertEquals(Errno.OK, client.write(1, striping, 65_536, memory(new byte[] {1})).errno()); // At the second daemon.
      long[] offsets = {100, 10_000, 20_000, 30_000, 40_000};
      long[] lengths = {2048, 2048, 2048, 2048, 2048};
      MemorySegment back = garbage(5 * 2048);
      IoTask read = client.call(DaemonOp.READ, 1, striping, offsets, lengths, new MemorySegment[] {back});
      assertEquals(5 * 2048, read.bytes());
      assertArrayEquals(new byte[5 * 2048], back.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Test
  void shouldKeepWhatIsBeingWrittenWhenAFileIsExtended() throws Exception {
    try (StripedCluster cluster = new StripedCluster(1, "weft.pvfs.daemon.memory = 64 MiB"); DataClient writer = cluster.client(null);
        DataClient other = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      byte[] data = random(new Random(5), 4 << 20);
      MemorySegment from = memory(data);
      for (int file = 1; file <= 30; file++) {
        long object = file;
        Thread extends8 = Thread.ofPlatform().start(() -> {
          for (int i = 0; i < 5; i++) {
            other.truncate(object, striping, (8 << 20) + i);
          }
        });
        assertEquals(Errno.OK, writer.write(object, striping, 0, from).errno());
        extends8.join();
        MemorySegment back = garbage(4 << 20);
        assertEquals(4 << 20, writer.read(object, striping, 0, back).bytes());
        assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE), "file " + file);
        assertEquals(Errno.OK, writer.remove(object, striping).errno());
      }
    }
  }

  /** Chunks go from file to file while both clients move them. */
  @Test
  void shouldNeverShowOneFileInAnother() throws Exception {
    try (StripedCluster cluster = new StripedCluster(1, "weft.pvfs.daemon.memory = 8 MiB"); DataClient reader = cluster.client(Band.SERVER);
        DataClient writer = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      byte[] ours = new byte[2 << 20];
      Arrays.fill(ours, (byte) 0xaa);
      assertEquals(Errno.OK, reader.write(1, striping, 0, memory(ours)).errno());
      byte[] theirs = new byte[3 << 20];
      Arrays.fill(theirs, (byte) 0xbb);
      MemorySegment from = memory(theirs);
      Thread other = Thread.ofPlatform().start(() -> {
        for (int file = 2; file < 150; file++) {
          writer.write(file, striping, 0, from);
          writer.stat(file, striping);
          writer.remove(file, striping);
        }
      });
      MemorySegment back = garbage(2 << 20);
      do {
        assertEquals(2 << 20, reader.read(1, striping, 0, back).bytes());
        assertArrayEquals(ours, back.toArray(ValueLayout.JAVA_BYTE));
        assertEquals(Errno.OK, reader.write(1, striping, 0, memory(ours)).errno());
      } while (other.isAlive());
      other.join();
      DaemonSnapshot daemon = cluster.daemon(0);
      assertEquals(6 << 20, daemon.freeBytes());
      assertEquals(0, daemon.moving());
    }
  }

  @Test
  void shouldExtendAFileAndNeverCutIt() {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 1000, 2);
      assertEquals(Errno.OK, client.write(1, striping, 0, memory(new byte[5000])).errno());
      for (long length : new long[] {100, 7777, 6000}) {
        assertEquals(Errno.OK, client.call(DaemonOp.EXTEND, 1, striping, new long[] {length}, new long[] {0}, new MemorySegment[0]).errno());
        assertEquals(length == 100 ? 5000 : 7777, client.stat(1, striping).fileBytes());
      }
    }
  }
}
