package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Costs;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Regions;
import dev.weft.pvfs.types.Shape;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Memory that a program closes, or whose file it cuts, while an operation uses it: what reaches for it then breaks the connection. Each operation ends, and so
 * do those of the same client that have done nothing wrong.
 */
@Tag("slow")
@Tag("actor")
@Timeout(120)
class LostMemoryTest {
  private static final int DAEMONS = 2;
  private static final Striping STRIPED = new Striping(0, DAEMONS, 65_536, DAEMONS);
  private static final String CHECKED = "weft.pvfs.client.checksum = end-to-end\n";
  private static final String UNCHECKED = "weft.pvfs.client.checksum = disk\n";
  private static final String QUICK = "weft.pvfs.client.reconnect = 20 ms\n";

  @TempDir private Path directory;

  /** Does something on the client's thread when a request has been made, and before it goes: its memory is registered, and told the daemon, by then. */
  private static final class BeforeTheNext implements Costs {
    private final AtomicReference<Runnable> action = new AtomicReference<>();

    void run(Runnable next) {
      action.set(next);
    }

    @Override
    public void sends(long bytes) {
      Runnable next = action.getAndSet(null);
      if (next != null) {
        next.run();
      }
    }
  }

  private static Stream<Arguments> bandsAndChecks() {
    return Arrays.stream(Band.values()).flatMap(band -> Stream.of(Arguments.of(band, CHECKED), Arguments.of(band, UNCHECKED)));
  }

  private static DataClient client(StripedCluster cluster, Band band, Costs costs) {
    return DataClient.charged(cluster.fabric, cluster.fabric.addNode("program"), "test", cluster.addresses,
        ClientSettings.from(cluster.config).withForced(band), costs);
  }

  /** Of which each daemon gets one request of the band. */
  private static int bytes(Band band) {
    return switch (band) {
      case INLINE -> 3000;
      case FAST -> 100_000;
      case SERVER, CLIENT -> 1 << 20;
    };
  }

  private static MemorySegment filled(long bytes) {
    return Arena.ofAuto().allocate(bytes).fill((byte) 7);
  }

  private static IoTask begin(DataClient client, DaemonOp op, MemorySegment memory) {
    return client.begin(op, 1, STRIPED, new long[] {0}, new long[] {memory.byteSize()}, new MemorySegment[] {memory}, _ -> { });
  }

  private static int end(StripedCluster cluster, DataClient client, IoTask task, String what) {
    Waits.await(task::isDone, () -> what + " is over: " + Waits.ask(cluster.fabric, client::inspect));
    return task.errno();
  }

  /** Both ways, after whatever was done to the client. */
  private static void assertGoesOn(StripedCluster cluster, DataClient client, long bytes) {
    MemorySegment data = Arena.ofAuto().allocate(bytes);
    for (int i = 0; i < bytes; i += 97) {
      data.set(ValueLayout.JAVA_BYTE, i, (byte) (i / 97));
    }
    assertEquals(Errno.OK, end(cluster, client, begin(client, DaemonOp.WRITE, data), "the next write"));
    MemorySegment back = Arena.ofAuto().allocate(bytes);
    assertEquals(Errno.OK, end(cluster, client, begin(client, DaemonOp.READ, back), "the next read"));
    assertEquals(-1, data.mismatch(back));
    ClientSnapshot state = Waits.ask(cluster.fabric, client::inspect);
    assertEquals(0, state.tasks(), state::toString);
    assertEquals(0, state.registrations(), state::toString);
    cluster.assertIdle();
  }

  @ParameterizedTest
  @MethodSource("bandsAndChecks")
  void shouldEndAReadWhoseMemoryIsClosedWhenItsRequestIsMade(Band band, String checks) {
    BeforeTheNext before = new BeforeTheNext();
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK + checks); DataClient client = client(cluster, band, before)) {
      assertEquals(Errno.OK, client.write(1, STRIPED, 0, filled(bytes(band))).errno());
      for (int round = 0; round < 3; round++) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(bytes(band));
        before.run(arena::close);
        IoTask closed = begin(client, DaemonOp.READ, memory);
        IoTask beside = begin(client, DaemonOp.READ, Arena.ofAuto().allocate(bytes(band)));
        assertEquals("EFAULT", Errno.name(end(cluster, client, closed, "the read")));
        assertEquals(Errno.OK, end(cluster, client, beside, "the read beside it"));
      }
      assertGoesOn(cluster, client, bytes(band));
    }
  }

  @ParameterizedTest
  @MethodSource("bandsAndChecks")
  void shouldEndAWriteWhoseMemoryIsClosedWhenItsRequestIsMade(Band band, String checks) {
    BeforeTheNext before = new BeforeTheNext();
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK + checks); DataClient client = client(cluster, band, before)) {
      for (int round = 0; round < 3; round++) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(bytes(band));
        before.run(arena::close);
        IoTask closed = begin(client, DaemonOp.WRITE, memory);
        IoTask beside = begin(client, DaemonOp.WRITE, filled(bytes(band)));
        String errno = Errno.name(end(cluster, client, closed, "the write"));
        assertTrue(errno.equals("EFAULT") || band.hasDataBehind() && closed.errno() == Errno.OK, errno); // Its data may be in the message already.
        assertEquals(Errno.OK, end(cluster, client, beside, "the write beside it"));
      }
      assertGoesOn(cluster, client, bytes(band));
    }
  }

  /** The pages go, and the arena stays. */
  @ParameterizedTest
  @MethodSource("bandsAndChecks")
  void shouldEndWhatUsesAFileThatIsCutWhenItsRequestIsMade(Band band, String checks) throws IOException {
    BeforeTheNext before = new BeforeTheNext();
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK + checks); DataClient client = client(cluster, band, before);
        FileChannel file = FileChannel.open(directory.resolve("mapped"), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
      for (DaemonOp op : new DaemonOp[] {DaemonOp.WRITE, DaemonOp.READ, DaemonOp.WRITE, DaemonOp.READ}) {
        assertEquals(Errno.OK, client.write(1, STRIPED, 0, filled(bytes(band))).errno());
        try (Arena arena = Arena.ofShared()) {
          MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes(band), arena);
          before.run(() -> cut(file));
          IoTask cut = begin(client, op, mapped);
          IoTask beside = begin(client, DaemonOp.READ, Arena.ofAuto().allocate(bytes(band)));
          String errno = Errno.name(end(cluster, client, cut, "the " + op));
          assertTrue(errno.equals("EFAULT") || op == DaemonOp.WRITE && band.hasDataBehind() && cut.errno() == Errno.OK, op + ": " + errno);
          assertEquals(Errno.OK, end(cluster, client, beside, "the read beside it"));
        }
      }
      assertGoesOn(cluster, client, bytes(band));
    }
  }

  private static void cut(FileChannel file) {
    try {
      file.truncate(0);
    } catch (IOException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  /** One of many pieces. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldEndAListOfWhichOnePieceIsClosed(Band band) {
    BeforeTheNext before = new BeforeTheNext();
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK); DataClient client = client(cluster, band, before)) {
      assertEquals(Errno.OK, client.write(1, STRIPED, 0, filled(1 << 20)).errno());
      Arena arena = Arena.ofShared();
      MemorySegment[] pieces = new MemorySegment[200];
      for (int i = 0; i < pieces.length; i++) {
        pieces[i] = (i == 60 ? arena : Arena.ofAuto()).allocate(1000);
      }
      long[] offsets = new long[100];
      long[] lengths = new long[100];
      for (int i = 0; i < offsets.length; i++) {
        offsets[i] = i * 5000L;
        lengths[i] = 2000;
      }
      before.run(arena::close);
      IoTask closed = client.begin(DaemonOp.READ, 1, STRIPED, offsets, lengths, pieces, _ -> { });
      assertEquals("EFAULT", Errno.name(end(cluster, client, closed, "the list")));
      assertGoesOn(cluster, client, bytes(band));
    }
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldEndAReadOfAShapeWhoseMemoryIsClosed(Band band) {
    BeforeTheNext before = new BeforeTheNext();
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK); DataClient client = client(cluster, band, before)) {
      assertEquals(Errno.OK, client.write(1, STRIPED, 0, filled(1 << 20)).errno());
      Datatype type = Datatype.vector(8000, 1, 2, Datatype.bytes(48));
      Regions regions = new Regions();
      new FlatType(0, type).pieces(0, type.size(), regions, Integer.MAX_VALUE);
      Arena arena = Arena.ofShared();
      MemorySegment memory = arena.allocate(type.size());
      before.run(arena::close);
      IoTask closed = client.callShaped(DaemonOp.READ, 1, STRIPED, Shape.of(0, type), 0, regions.offsets(), regions.lengths(), new MemorySegment[] {memory});
      assertEquals("EFAULT", Errno.name(closed.errno()));
      assertGoesOn(cluster, client, bytes(band));
    }
  }

  private static Stream<Arguments> bandsAndPinning() {
    return Arrays.stream(Band.values()).flatMap(band -> Stream.of(Arguments.of(band, ""), Arguments.of(band, "weft.hca.pin-memory = true\n")));
  }

  /** Whenever the arena is closed, from before the request is made until after it is answered. */
  @ParameterizedTest
  @MethodSource("bandsAndPinning")
  void shouldEndEachReadWheneverItsMemoryIsClosed(Band band, String pinning) {
    long seed = ThreadLocalRandom.current().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    int bytes = band.hasDataBehind() ? bytes(band) : 8 << 20;
    try (StripedCluster cluster = new StripedCluster(DAEMONS, QUICK + pinning); DataClient client = client(cluster, band, Costs.NONE)) {
      assertEquals(Errno.OK, client.write(1, STRIPED, 0, filled(bytes)).errno());
      for (int round = 0; round < 30; round++) {
        String what = "seed " + seed + ", round " + round;
        Arena arena = Arena.ofShared();
        IoTask closed = begin(client, DaemonOp.READ, arena.allocate(bytes));
        IoTask beside = begin(client, DaemonOp.READ, Arena.ofAuto().allocate(bytes));
        LockSupport.parkNanos(random.nextInt(random.nextBoolean() ? 300_000 : 6_000_000));
        closeOnceFree(arena);
        int errno = end(cluster, client, closed, what);
        assertTrue(errno == Errno.OK || errno == Errno.EFAULT, () -> what + ": " + Errno.text(errno));
        assertEquals(Errno.OK, end(cluster, client, beside, what));
      }
      assertGoesOn(cluster, client, bytes);
    }
  }

  /** It is refused while a thread of the hardware is in the memory. */
  private static void closeOnceFree(Arena arena) {
    Waits.await(() -> {
      try {
        arena.close();
        return true;
      } catch (IllegalStateException inUse) {
        return false;
      }
    }, () -> "the arena could be closed");
  }
}
