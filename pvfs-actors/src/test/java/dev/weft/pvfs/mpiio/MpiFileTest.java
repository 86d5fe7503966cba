package dev.weft.pvfs.mpiio;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Four ranks that are threads, each with a client of its own. */
@Tag("slow")
@Tag("actor")
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MpiFileTest {
  private static final int RANKS = 4;
  private static final Datatype BYTE = Datatype.bytes(1);
  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private final List<PvfsFileSystem> clients = IntStream.range(0, RANKS).mapToObj(_ -> cluster.connect(Caller.ROOT)).toList();
  private int number;
  private String path;

  @BeforeEach
  void name() {
    path = "/mpi" + number++;
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private interface Program {
    void run(ThreadRanks ranks, PvfsFileSystem files) throws Exception;
  }

  private void run(Program program) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (ThreadRanks ranks : ThreadRanks.of(RANKS)) {
      threads.add(Thread.ofPlatform().start(() -> {
        try {
          program.run(ranks, clients.get(ranks.rank()));
        } catch (Throwable thrown) {
          failure.compareAndSet(null, thrown);
          ranks.giveUp();
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 8);
  }

  private static MpiHints hints(String... words) {
    return MpiHints.of(IntStream.range(0, words.length / 2).boxed().collect(java.util.stream.Collectors.toMap(i -> words[2 * i], i -> words[2 * i + 1])));
  }

  private byte[] content() throws PvfsException {
    try (PvfsFile file = clients.getFirst().open(path)) {
      MemorySegment all = memory(file.size());
      file.read(all, 0);
      return all.toArray(ValueLayout.JAVA_BYTE);
    }
  }

  private long requests() {
    return clients.stream().map(cluster::snapshot).flatMap(snapshot -> snapshot.daemons().stream()).mapToLong(ClientSnapshot.Daemon::requests).sum();
  }

  /** Blocks of 64 bytes go round the ranks. */
  private static void interleave(MpiFile file, int rank) throws PvfsException {
    file.setView(rank * 64L, Datatype.bytes(8), Datatype.bytes(64).resized(64 * RANKS));
  }

  private long requestsOf(MpiHints hints) throws InterruptedException {
    long[] used = new long[1];
    run((ranks, files) -> {
      try (MpiFile file = MpiFile.open(ranks, files, path, hints, CREATE, READ, WRITE)) {
        interleave(file, ranks.rank());
        MemorySegment own = memory(64 << 10).fill((byte) (ranks.rank() + 1));
        ranks.barrier();
        if (ranks.rank() == 0) {
          used[0] = requests();
        }
        ranks.barrier();
        assertEquals(64 << 10, file.writeAll(own, BYTE, 64 << 10));
        file.seek(0);
        MemorySegment back = memory(64 << 10);
        assertEquals(64 << 10, file.readAll(back, BYTE, 64 << 10));
        assertEquals(-1, back.mismatch(own));
        assertEquals(8192, file.position(), "in etypes");
        ranks.barrier();
        if (ranks.rank() == 0) {
          used[0] = requests() - used[0];
        }
        ranks.barrier();
      }
    });
    return used[0];
  }

  @Test
  void shouldTakeFarFewerRequestsInTwoPhases() throws Exception {
    long together = requestsOf(hints("cb_nodes", "2", "cb_buffer_size", "65536"));
    byte[] content = content();
    assertEquals(256 << 10, content.length);
    for (int i = 0; i < content.length; i++) {
      assertEquals(i / 64 % RANKS + 1, content[i], "byte " + i);
    }
    long alone = requestsOf(hints("romio_cb_read", "disable", "romio_cb_write", "disable"));
    System.out.println("interleaved blocks of 64 bytes, 4 ranks, 256 KiB written and read: " + together + " requests in two phases, " + alone + " independent");
    assertTrue(together <= 16, together + " requests: 4 windows of one stripe each way, and the length");
    assertTrue(alone >= 2 * RANKS * 1024 / 64, alone + " requests: 1024 pieces of each rank each way, 64 in one");
  }

  @Test
  void shouldWriteAndReadWhatRandomViewsShow() throws Exception {
    long seed = 23;
    byte[] model = new byte[60_000];
    SplittableRandom random = new SplittableRandom(seed);
    int[] blocks = random.ints(6, 1, 200).toArray();
    int[] counts = random.ints(6, 1, 5).toArray();
    run((ranks, files) -> {
      for (int round = 0; round < blocks.length; round++) {
        long row = (long) blocks[round] * RANKS;
        Datatype rows = Datatype.vector(counts[round], blocks[round], row, BYTE).resized(row * (4 + round % 2));
        MpiHints hints = hints("cb_buffer_size", "4096", "striping_unit", "1000", "cb_nodes", String.valueOf(1 + round % 4));
        try (MpiFile file = MpiFile.open(ranks, files, path, hints, CREATE, READ, WRITE)) {
          file.setView(100 + (long) ranks.rank() * blocks[round], BYTE, rows);
          byte[] data = new byte[(int) rows.size() * 3 + ranks.rank() * 7];
          new Random(round * 10L + ranks.rank()).nextBytes(data);
          Datatype spread = spread(data.length);
          MemorySegment own = memory(spread.extent());
          for (int i = 0; i < data.length; i++) {
            own.set(ValueLayout.JAVA_BYTE, i / 10 * 13L + i % 10, data[i]);
          }
          assertEquals(data.length, file.writeAtAll(5, own, spread, 1));
          synchronized (model) {
            for (int i = 0; i < data.length; i++) {
              model[(int) file.byteOffset(5 + i)] = data[i];
            }
          }
          MemorySegment back = memory(spread.extent());
          if (round % 2 == 0) {
            file.readAtAll(5, back, spread, 1);
          } else {
            file.readAt(5, back, spread, 1);
          }
          assertEquals(-1, back.mismatch(own), "seed " + seed + " round " + round);
        }
      }
    });
    byte[] content = content();
    assertArrayEquals(java.util.Arrays.copyOf(model, content.length), content);
  }

  /** So many bytes, ten at a time, three left out after each ten. */
  private static Datatype spread(int bytes) {
    long[] lengths = new long[(bytes + 9) / 10];
    long[] at = new long[lengths.length];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = Math.min(10, bytes - i * 10);
      at[i] = i * 13L;
    }
    return Datatype.indexed(lengths, at, BYTE);
  }

  @Test
  void shouldGiveEachRankItsPartAtTheSharedPointer() throws Exception {
    TreeSet<Long> all = new TreeSet<>();
    ConcurrentSkipListSet<Long> seen = new ConcurrentSkipListSet<>();
    run((ranks, files) -> {
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE_NEW, READ, WRITE)) {
        file.setView(16, Datatype.bytes(8), Datatype.bytes(8));
        MemorySegment word = memory(8);
        for (int i = 0; i < 20; i++) {
          word.set(ValueLayout.JAVA_LONG, 0, ranks.rank() * 100L + i);
          assertEquals(8, file.writeShared(word, Datatype.bytes(8), 1));
        }
        ranks.barrier();
        assertEquals(80, file.positionShared());
        MemorySegment own = memory(8L * (ranks.rank() + 1));
        own.fill((byte) ranks.rank());
        file.writeOrdered(own, BYTE, own.byteSize());
        assertEquals(90, file.positionShared());
        file.seekShared(0);
        for (int i = 0; i < 20; i++) {
          assertEquals(8, file.readShared(word, Datatype.bytes(8), 1));
          seen.add(word.get(ValueLayout.JAVA_LONG, 0));
        }
        MemorySegment back = memory(own.byteSize());
        file.readOrdered(back, BYTE, back.byteSize());
        assertEquals(-1, back.mismatch(own), "rank by rank");
        assertThrows(IllegalArgumentException.class, () -> file.readShared(word, BYTE, 3), "no whole etype");
      }
    });
    for (long rank = 0; rank < RANKS; rank++) {
      for (long i = 0; i < 20; i++) {
        all.add(rank * 100 + i);
      }
    }
    assertEquals(all, new TreeSet<>(seen), "each word once");
    assertEquals(16 + 90 * 8, content().length);
  }

  @Test
  void shouldLeaveTheSharedPointerWhereItIsIfACallIsWrong() throws Exception {
    run((ranks, files) -> {
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE_NEW, READ, WRITE)) {
        file.seekShared(5);
        assertThrows(IllegalArgumentException.class, () -> file.writeShared(memory(8), BYTE, 9), "the memory is too short");
        MemorySegment own = memory(4);
        long count = ranks.rank() == 2 ? 5 : 4;
        assertThrows(Exception.class, () -> file.writeOrdered(own, BYTE, count), "at all ranks, for one of them");
        assertEquals(5, file.positionShared());
        file.seekShared(Long.MAX_VALUE - 2);
        assertThrows(PvfsException.class, () -> file.readShared(own, BYTE, 4));
        assertThrows(PvfsException.class, () -> file.writeOrdered(own, BYTE, 4));
        assertEquals(Long.MAX_VALUE - 2, file.positionShared());
        file.seekShared(0);
        file.writeOrdered(own, BYTE, 4);
        assertEquals(4L * RANKS, file.positionShared());
      }
    });
    assertEquals(4 * RANKS, content().length);
  }

  /** In rounds over all that lies between it would take weeks. */
  @Test
  void shouldNotGoThroughWhatIsNobodys() throws Exception {
    run((ranks, files) -> {
      for (MpiHints hints : List.of(MpiHints.NONE, hints("romio_cb_write", "enable", "romio_cb_read", "enable"))) {
        try (MpiFile file = MpiFile.open(ranks, files, path, hints, CREATE, READ, WRITE)) {
          if (ranks.rank() == 0) {
            file.setView(0, BYTE, Datatype.indexed(new long[] {8, 8}, new long[] {0, 1L << 50}, BYTE));
          } else {
            file.setView(100L * ranks.rank(), BYTE, BYTE);
          }
          long bytes = ranks.rank() == 0 ? 16 : 8;
          MemorySegment own = memory(bytes).fill((byte) (ranks.rank() + 1));
          assertEquals(bytes, file.writeAtAll(0, own, BYTE, bytes));
          MemorySegment back = memory(bytes);
          assertEquals(bytes, file.readAtAll(0, back, BYTE, bytes));
          assertEquals(-1, back.mismatch(own));
          file.setSize(0);
        }
      }
    });
  }

  @Test
  void shouldCloseWhatIsItsOwnWhenAnotherRankHasGivenUp() throws Exception {
    List<ThreadRanks> two = ThreadRanks.of(2);
    MpiFile[] file = new MpiFile[2];
    Thread other = Thread.ofPlatform().start(() -> assertDoesNotThrow(() ->
        file[1] = MpiFile.open(two.get(1), clients.get(1), path, MpiHints.NONE, CREATE, READ, WRITE)));
    file[0] = MpiFile.open(two.get(0), clients.get(0), path, MpiHints.NONE, CREATE, READ, WRITE);
    other.join();
    two.get(1).giveUp();
    for (int rank = 0; rank < 2; rank++) {
      MpiFile mine = file[rank];
      assertThrows(IllegalStateException.class, mine::close);
      assertThrows(PvfsException.class, () -> mine.readAt(0, memory(1), BYTE, 1), "it is closed");
    }
    try (MpiFile again = MpiFile.open(ThreadRanks.of(1).getFirst(), clients.getFirst(), path, MpiHints.NONE, READ)) {
      assertEquals(0, again.size());
    }
  }

  @Test
  void shouldFailAtAllRanksWhatFailsAtOne() throws Exception {
    run((ranks, files) -> {
      PvfsException missing = assertThrows(PvfsException.class, () -> MpiFile.open(ranks, files, path, MpiHints.NONE, READ));
      assertEquals(Errno.ENOENT, missing.errno());
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        Exception wrong = assertThrows(Exception.class, () -> file.writeAtAll(0, memory(8), BYTE, ranks.rank() == 2 ? 9 : 8));
        assertEquals(ranks.rank() == 2 ? IllegalArgumentException.class : PvfsException.class, wrong.getClass(), wrong.toString());
        assertThrows(PvfsException.class, () -> file.setView(0, Datatype.bytes(8), Datatype.bytes(ranks.rank() == 1 ? 12 : 16)));
        assertEquals(0, file.readAtAll(0, memory(100), BYTE, 100), "an empty file");
        file.setSize(50);
        assertEquals(50, file.readAtAll(0, memory(100), BYTE, 100));
        file.sync();
        assertEquals(0, file.writeAtAll(0, memory(8), BYTE, 0), "nothing at any rank");
      }
      assertThrows(PvfsException.class, () -> files.attributes(path));
    });
  }

  private interface Part {
    void run(MpiFile file) throws Exception;
  }

  /** Rank 2 is wrong about something: it hears what, and nobody waits for it. */
  @Test
  void shouldTellAllRanksWhatOneOfThemIsWrongAbout() throws Exception {
    run((ranks, files) -> {
      boolean isWrong = ranks.rank() == 2;
      OpenOption[] options = isWrong ? new OpenOption[] {READ, READ} : new OpenOption[] {CREATE, READ, WRITE};
      assertFails(isWrong, () -> MpiFile.open(ranks, files, path, MpiHints.NONE, options));
      boolean isFirst = ranks.rank() == 0;
      assertFails(isFirst, () -> MpiFile.open(ranks, files, path, MpiHints.NONE, isFirst ? StandardOpenOption.DSYNC : READ));
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        assertFails(isWrong, () -> file.setView(isWrong ? -1 : 0, BYTE, BYTE));
        assertFails(isWrong, () -> file.setView(0, BYTE, isWrong ? BYTE.resized(0) : BYTE));
        file.setView(0, Datatype.bytes(8), Datatype.bytes(8));
        long bytes = isWrong ? 9 : 8;
        MemorySegment memory = memory(32);
        assertFails(isWrong, () -> file.writeAll(memory, BYTE, bytes));
        assertFails(isWrong, () -> file.readAll(memory, BYTE, bytes));
        assertFails(isWrong, () -> file.writeOrdered(memory, BYTE, bytes));
        assertFails(isWrong, () -> file.readOrdered(memory, BYTE, isWrong ? -8 : 8));
        assertFails(isWrong, () -> file.seekShared(isWrong ? -1 : 0));
        assertEquals(0, file.position(), "what failed moves no pointer");
        assertEquals(0, file.positionShared());
        assertFails(isFirst, () -> file.setSize(isFirst ? -1 : 0));
        MemorySegment confined = Arena.ofConfined().allocate(8);
        assertFails(isWrong, () -> file.writeAtAll(ranks.rank(), isWrong ? confined : memory.asSlice(0, 8), BYTE, 8));
        assertFails(isWrong, () -> file.readAtAll(ranks.rank(), isWrong ? memory.asReadOnly() : memory, BYTE, 8));
        assertEquals(8, file.writeAll(memory, BYTE, 8), "they are in step");
      }
      MpiHints inTwoPhases = hints("romio_cb_write", "enable", "romio_cb_read", "enable");
      try (MpiFile file = MpiFile.open(ranks, files, path, inTwoPhases, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(8);
        if (isWrong) {
          arena.close();
        }
        assertFails(isWrong, () -> file.writeAtAll(0, memory, BYTE, 8));
        assertFails(isWrong, () -> file.readAtAll(0, memory, BYTE, 8));
      }
    });
  }

  private static void assertFails(boolean isWrong, org.junit.jupiter.api.function.Executable call) {
    Exception failed = assertThrows(Exception.class, call);
    assertTrue(isWrong ? failed instanceof IllegalArgumentException || failed instanceof UnsupportedOperationException
        : failed instanceof PvfsException said && said.errno() == Errno.EINVAL, failed::toString);
  }

  @Test
  void shouldTellAllRanksThatTheyMakeDifferentCalls() throws Exception {
    run((ranks, files) -> {
      boolean isOther = ranks.rank() == 2;
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        MemorySegment memory = memory(8);
        List<Part> calls = List.of(each -> each.writeAtAll(ranks.rank() * 8L, memory, BYTE, 8), each -> each.setSize(4),
            each -> each.readAtAll(0, memory, BYTE, 8), each -> each.setView(0, BYTE, BYTE), MpiFile::sync, each -> each.writeAll(memory, BYTE, 8),
            each -> each.seekShared(0), each -> each.readAll(memory, BYTE, 8), each -> each.writeOrdered(memory, BYTE, 8),
            each -> each.readOrdered(memory, BYTE, 8));
        for (int i = 0; i < calls.size(); i++) {
          Part here = calls.get(isOther ? i : (i + 1) % calls.size());
          IllegalStateException different = assertThrows(IllegalStateException.class, () -> here.run(file));
          assertTrue(different.getMessage().contains("all ranks must make the same collective calls"), different::getMessage);
        }
        assertEquals("rank 0 calls setSize and rank 2 writeAtAll; all ranks must make the same collective calls in the same order",
            assertThrows(IllegalStateException.class, () -> calls.get(isOther ? 0 : 1).run(file)).getMessage());
        assertEquals(0, file.size(), "nothing was done");
        assertEquals(0, file.position());
        assertEquals(8, file.writeAtAll(ranks.rank() * 8L, memory, BYTE, 8), "they are in step");
        assertEquals(8L * RANKS, file.size());
      }
      MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE);
      assertThrows(IllegalStateException.class, isOther ? file::close : file::sync);
      if (isOther) {
        ranks.giveUp();
      } else {
        assertThrows(IllegalStateException.class, file::close, "one that has closed by itself is not waited for when it has given up");
      }
    });
  }

  @Test
  void shouldRefuseAccessBeyondMemoryAndBeyondFiles() throws Exception {
    run((ranks, files) -> {
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        Datatype longer = Datatype.bytes(8).resized(1);
        List<Part> parts = List.of(each -> each.writeAt(0, memory(8), longer, 2), each -> each.writeAtAll(0, memory(8), longer, 2),
            each -> each.readAtAll(Striping.FILE_BYTES_MAX, memory(8), BYTE, 8), each -> each.readAtAll(Striping.FILE_BYTES_MAX - 7, memory(8), BYTE, 8),
            each -> each.readAtAll(Long.MAX_VALUE - 3, memory(8), BYTE, 8), each -> each.readAt(Long.MAX_VALUE - 3, memory(8), BYTE, 8));
        for (Part part : parts) {
          assertThrows(IllegalArgumentException.class, () -> part.run(file));
        }
        assertEquals(8, file.writeAtAll(0, memory(9), Datatype.bytes(8).resized(100), 1), "behind the last piece memory may end");
        file.setView(0, Datatype.bytes(8), Datatype.bytes(8));
        assertThrows(IllegalArgumentException.class, () -> file.readAt(Long.MAX_VALUE / 4, memory(8), BYTE, 8));
        assertThrows(IllegalArgumentException.class, () -> file.readAtAll(Long.MAX_VALUE / 4, memory(8), BYTE, 8));
        assertEquals(0, file.readAtAll(Striping.FILE_BYTES_MAX / 8 - 1, memory(8), BYTE, 8), "the last one of a file");
      }
    });
  }

  @Test
  void shouldNotTakeTheAnswerToACallThatWasInterruptedForThatToTheNext() throws Exception {
    run((ranks, files) -> {
      try (MpiFile file = MpiFile.open(ranks, files, path, MpiHints.NONE, CREATE, READ, WRITE, DELETE_ON_CLOSE)) {
        assertEquals(0, file.positionShared(), "connects");
        ranks.barrier();
        if (ranks.rank() == 1) {
          CountDownLatch goesOn = cluster.stopHardware(files);
          Thread.currentThread().interrupt();
          PvfsException interrupted = assertThrows(PvfsException.class, () -> file.readShared(memory(5), BYTE, 5));
          assertTrue(Thread.interrupted(), "the interrupt is still there");
          assertEquals(Errno.EINTR, interrupted.errno());
          goesOn.countDown();
        } else if (ranks.rank() == 0) {
          while (file.positionShared() == 0) {
            Thread.sleep(1);
          }
        }
        ranks.barrier();
        for (int i = 0; i < 10; i++) {
          assertEquals(5, file.positionShared());
        }
        ranks.barrier();
      }
    });
  }

  @Test
  void shouldNotWaitForARankThatHasGivenUpBefore() {
    List<ThreadRanks> ranks = ThreadRanks.of(2);
    ranks.get(0).giveUp();
    assertThrows(IllegalStateException.class, ranks.get(1)::barrier);
    assertThrows(IllegalStateException.class, ranks.get(1)::barrier);
    List<ThreadRanks> others = ThreadRanks.of(2);
    MemorySegment two = memory(2);
    Thread second = Thread.ofPlatform().start(() -> assertThrows(IllegalStateException.class, () -> {
      others.get(1).alltoallv(two, new int[] {1, 1}, memory(2), new int[] {1, 1});
      others.get(1).barrier();
    }));
    assertThrows(IllegalArgumentException.class, () -> others.get(0).alltoallv(two, new int[] {1, 1}, memory(2), new int[] {0, 2}));
    assertTrue(assertDoesNotThrow(() -> second.join(Duration.ofSeconds(90))), "nobody waits");
  }

  @Test
  void shouldSayWhichHintsCannotBe() {
    assertTrue(assertThrows(IllegalArgumentException.class, () -> hints("cb_nodes", "many")).getMessage().contains("must be a number from 0 to 4096"));
    assertThrows(IllegalArgumentException.class, () -> hints("cb_buffer_size", "100"));
    assertThrows(IllegalArgumentException.class, () -> hints("romio_cb_read", "maybe"));
    assertEquals(MpiHints.NONE, MpiHints.of(Map.of("access_style", "read_once")), "others are left out");
    MpiHints all = hints("striping_factor", "2", "striping_unit", "4096", "start_iodevice", "1", "cb_nodes", "3", "romio_cb_write", "disable");
    assertEquals("1 2 4096 3", all.wish().base() + " " + all.wish().count() + " " + all.wish().stripeBytes() + " " + all.cbNodes());
  }
}
