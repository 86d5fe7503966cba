package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.FlatType;
import dev.weft.pvfs.types.Regions;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Data types that daemons are told as such, beside the same pieces in lists. */
@Tag("slow")
@Tag("actor")
@Timeout(120)
class ShapedAccessTest {
  private static MemorySegment random(SplittableRandom random, long bytes) {
    byte[] data = new byte[(int) bytes];
    random.nextBytes(data);
    return Arena.ofAuto().allocate(bytes).copyFrom(MemorySegment.ofArray(data));
  }

  private static long requests(ClientSnapshot of) {
    return Arrays.stream(of.sentBy()).sum();
  }

  /** That does not reach too far. */
  private static Datatype random(SplittableRandom random) {
    Datatype type = any(random);
    while (type.extent() > 100_000 || type.extent() > 20 * type.size()) {
      type = any(random);
    }
    return type;
  }

  private static Datatype any(SplittableRandom random) {
    Datatype of = Datatype.bytes(1 + random.nextInt(40));
    for (int depth = random.nextInt(3); depth >= 0; depth--) {
      of = switch (random.nextInt(3)) {
        case 0 -> Datatype.vector(1 + random.nextInt(40), 1 + random.nextInt(2), 2 + random.nextInt(3), of);
        case 1 -> of.resized(of.extent() + random.nextInt(20));
        default -> {
          int rows = 3 + random.nextInt(20);
          int columns = 3 + random.nextInt(20);
          yield Datatype.subarray(new long[] {rows, columns}, new long[] {1 + random.nextInt(rows - 1), 1 + random.nextInt(columns - 1)},
              new long[] {random.nextInt(2), random.nextInt(2)}, of);
        }
      };
    }
    return of;
  }

  /** Each type is written and read by a view, and in lists, of which each has another file: both are the same in the end, and at each step. */
  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldDoWhatListsDo(Band band) throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    try (FileSystemCluster cluster = new FileSystemCluster(3, "weft.pvfs.client.band = " + band.name().toLowerCase(Locale.ROOT));
        PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      for (int round = 0; round < 12; round++) {
        StripingWish stripes = new StripingWish(random.nextInt(3), 1 + random.nextInt(3), 1 + random.nextInt(random.nextBoolean() ? 200 : 20_000));
        try (PvfsFile shaped = files.open("/s" + round, stripes, 0644, CREATE_NEW, READ, WRITE);
            PvfsFile listed = files.open("/l" + round, stripes, 0644, CREATE_NEW, READ, WRITE)) {
          for (int step = 0; step < 4; step++) {
            Datatype type = random(random);
            String what = "seed " + seed + ", round " + round + ", step " + step + ", " + stripes + ", " + type;
            step(random, shaped, listed, type, what);
          }
          MemorySegment one = Arena.ofAuto().allocate(listed.size());
          MemorySegment other = Arena.ofAuto().allocate(listed.size());
          assertEquals(listed.size(), shaped.size());
          listed.read(one, 0);
          shaped.read(other, 0);
          assertEquals(-1, one.mismatch(other), "seed " + seed + ", round " + round);
        }
        files.unlink("/s" + round);
        files.unlink("/l" + round);
      }
    }
  }

  private static void step(SplittableRandom random, PvfsFile shaped, PvfsFile listed, Datatype type, String what) throws PvfsException {
    int displacement = random.nextInt(1000);
    FlatType flat = new FlatType(displacement, type);
    long position = random.nextLong(2 * type.size());
    MemorySegment data = random(random, 1 + random.nextInt(random.nextBoolean() ? 3000 : 60_000));
    Regions regions = new Regions();
    flat.pieces(position, data.byteSize(), regions, Integer.MAX_VALUE);
    shaped.view(displacement, type).write(data, position);
    listed.writeList(regions.offsets(), regions.lengths(), data);
    MemorySegment one = Arena.ofAuto().allocate(2 * data.byteSize()).fill((byte) 0x5a); // Beyond the end, too.
    MemorySegment other = Arena.ofAuto().allocate(2 * data.byteSize()).fill((byte) 0xa5);
    Regions more = new Regions();
    flat.pieces(position, one.byteSize(), more, Integer.MAX_VALUE);
    long had = listed.readList(more.offsets(), more.lengths(), one);
    assertEquals(had, shaped.view(displacement, type).read(other, position), what);
    assertEquals(-1, one.mismatch(other), what);
    assertEquals(-1, data.mismatch(other.asSlice(0, data.byteSize())), what);
  }

  /** 8000 pieces at three daemons: 125 requests in lists. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTellManyPiecesInFewMessages(boolean isArray) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    try (FileSystemCluster cluster = new FileSystemCluster(3, ""); PvfsFileSystem files = cluster.connect(Caller.ROOT);
        PvfsFile file = files.open("/f", new StripingWish(0, 3, 4096), 0644, CREATE_NEW, READ, WRITE)) {
      Datatype type = isArray ? Datatype.subarray(new long[] {100, 100, 9}, new long[] {80, 100, 3}, new long[] {7, 0, 2}, Datatype.bytes(16))
          : Datatype.vector(8000, 1, 3, Datatype.bytes(48));
      MemorySegment data = random(random, type.size());
      assertEquals(8000 * 48, type.size());
      long before = requests(cluster.snapshot(files));
      file.view(100, type).write(data, 0);
      long written = requests(cluster.snapshot(files)) - before;
      MemorySegment back = Arena.ofAuto().allocate(type.size());
      assertEquals(type.size(), file.view(100, type).read(back, 0));
      assertEquals(-1, data.mismatch(back));
      long read = requests(cluster.snapshot(files)) - before - written;
      assertTrue(written <= 9 && read <= 12, () -> written + " requests to write, " + read + " to read");
      Regions regions = new Regions();
      type.flatten(regions);
      long[] offsets = Arrays.stream(regions.offsets()).map(at -> at + 100).toArray();
      file.readList(offsets, regions.lengths(), back);
      long listed = requests(cluster.snapshot(files)) - before - written - read;
      assertTrue(listed >= 125, () -> listed + " requests in lists");
      assertEquals(-1, data.mismatch(back));
    }
  }
}
