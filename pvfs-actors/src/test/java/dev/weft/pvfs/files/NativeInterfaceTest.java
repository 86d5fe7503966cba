package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.types.Datatype;
import dev.weft.pvfs.types.Partition;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranges, partitions, data types, buffers and stages, on a manager and three daemons of one JVM. */
@Tag("actor")
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NativeInterfaceTest {
  private static final StripingWish STRIPES = new StripingWish(0, 3, 1000);
  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private final PvfsFileSystem files = cluster.connect(Caller.ROOT);
  private int number;
  private String name;

  @BeforeEach
  void name() {
    name = "/f" + number++;
  }

  @AfterAll
  void close() {
    cluster.close();
  }

  private static byte[] random(int bytes) {
    byte[] data = new byte[bytes];
    new Random(bytes).nextBytes(data);
    return data;
  }

  private static MemorySegment memory(byte[] bytes) {
    return Arena.ofAuto().allocate(bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private PvfsFile made(byte[] data) throws PvfsException {
    PvfsFile file = files.open(name, STRIPES, 0644, CREATE_NEW, READ, WRITE);
    file.write(memory(data), 0);
    return file;
  }

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void shouldCutListsThatAreLongerThanARequest() throws Exception {
    byte[] data = random(20_000);
    try (PvfsFile file = made(data)) {
      long[] offsets = new long[500];
      long[] lengths = new long[500];
      MemorySegment[] pieces = new MemorySegment[250];
      for (int i = 0; i < 500; i++) {
        offsets[i] = (499 - i) * 40L;
        lengths[i] = 10;
      }
      for (int i = 0; i < 250; i++) {
        pieces[i] = Arena.ofAuto().allocate(20);
      }
      assertEquals(5000, file.readList(offsets, lengths, pieces));
      for (int i = 0; i < 500; i++) {
        assertArrayEquals(Arrays.copyOfRange(data, (int) offsets[i], (int) offsets[i] + 10),
            pieces[i / 2].asSlice(i % 2 * 10, 10).toArray(ValueLayout.JAVA_BYTE), "range " + i);
      }
      assertEquals(5000, get(file.writeListAsync(lengths(offsets, 20_000), lengths, pieces)));
      assertEquals(20_000 + 499 * 40 + 10, get(file.sizeAsync()));
    }
  }

  private static long[] lengths(long[] offsets, long plus) {
    return Arrays.stream(offsets).map(offset -> offset + plus).toArray();
  }

  @Test
  void shouldShowAPartitionAsIfItWereTheFile() throws Exception {
    byte[] data = random(10_000);
    try (PvfsFile file = made(data)) {
      FileView view = file.partition(Partition.of(7, 100, 300));
      assertEquals(34 * 100 - 7, view.size(), "33 whole groups, and 93 bytes of the last one");
      assertEquals(7 + 300 + 5, view.offsetOf(105));
      MemorySegment back = Arena.ofAuto().allocate(5000);
      assertEquals(view.size() - 50, view.read(back, 50));
      for (int i = 50; i < view.size(); i++) {
        assertEquals(data[(int) view.offsetOf(i)], back.get(ValueLayout.JAVA_BYTE, i - 50L), "byte " + i);
      }
      view.write(memory(new byte[250]), 50);
      Arrays.fill(data, 57, 107, (byte) 0);
      Arrays.fill(data, 307, 407, (byte) 0);
      Arrays.fill(data, 607, 707, (byte) 0);
      MemorySegment all = Arena.ofAuto().allocate(10_000);
      file.read(all, 0);
      assertArrayEquals(data, all.toArray(ValueLayout.JAVA_BYTE));
      MemorySegment strided = Arena.ofAuto().allocate(30);
      assertEquals(30, file.readStrided(strided, 1000, 10, 500));
      assertEquals(data[1500], strided.get(ValueLayout.JAVA_BYTE, 10));
    }
  }

  @Test
  void shouldMoveWhatDataTypesNameOnEitherSide() throws Exception {
    byte[] data = random(64 * 64 * 4);
    try (PvfsFile file = made(data)) {
      Datatype pixel = Datatype.bytes(4);
      Datatype tile = Datatype.subarray(new long[] {64, 64}, new long[] {16, 20}, new long[] {8, 30}, pixel);
      Datatype column = Datatype.vector(16, 20, 25, pixel);
      MemorySegment image = Arena.ofAuto().allocate(column.extent());
      assertEquals(16 * 20 * 4, file.view(0, tile).read(image, column, 1, 0));
      for (int row = 0; row < 16; row++) {
        int from = ((8 + row) * 64 + 30) * 4;
        assertArrayEquals(Arrays.copyOfRange(data, from, from + 80), image.asSlice(row * 100L, 80).toArray(ValueLayout.JAVA_BYTE), "row " + row);
      }
      image.fill((byte) 9);
      file.view(0, tile).write(image, column, 1, 0);
      MemorySegment back = Arena.ofAuto().allocate(data.length);
      file.read(back, 0);
      assertEquals(9, back.get(ValueLayout.JAVA_BYTE, (8 * 64 + 30) * 4));
      assertEquals(data[(8 * 64 + 50) * 4], back.get(ValueLayout.JAVA_BYTE, (8 * 64 + 50) * 4), "beside the tile nothing changes");
      Datatype twice = Datatype.indexed(new long[] {1, 1}, new long[] {0, 2}, pixel);
      assertThrows(IllegalArgumentException.class, () -> file.view(0, twice).write(memory(new byte[8]), 0));
    }
  }

  @Test
  void shouldMoveByteBuffersOfEitherKind() throws Exception {
    byte[] data = random(2_500_000);
    try (PvfsFile file = files.open(name, CREATE, READ, WRITE)) {
      ByteBuffer heap = ByteBuffer.wrap(data);
      long copied = files.copiedBytes();
      assertEquals(data.length, file.write(heap, 3));
      assertEquals(0, heap.remaining());
      assertEquals(data.length, files.copiedBytes() - copied, "arrays of the heap cost a copy");
      ByteBuffer direct = ByteBuffer.allocateDirect(data.length + 10);
      assertEquals(data.length, file.read(direct.position(5), 3));
      assertEquals(5 + data.length, direct.position());
      assertEquals(data.length, files.copiedBytes() - copied, "direct buffers cost none");
      assertEquals(-1, direct.slice(5, data.length).mismatch(ByteBuffer.wrap(data)));
      ByteBuffer back = ByteBuffer.allocate(data.length);
      assertEquals(data.length - 1, file.read(back, 4));
      assertEquals(0, file.read(back, data.length + 3));
      assertThrows(ReadOnlyBufferException.class, () -> file.read(ByteBuffer.allocate(4).asReadOnlyBuffer(), 0));
      ByteBuffer some = ByteBuffer.allocate(100);
      assertEquals(100, get(file.readAsync(some, 3)));
      assertArrayEquals(Arrays.copyOf(data, 100), some.array());
      assertEquals(50, get(file.writeAsync(ByteBuffer.wrap(data, 0, 50), 0)));
    }
  }

  /** Counted by the client: bytes that a processor copied; the daemon counts its own ({@code DataClientTest}). */
  @Test
  void shouldMoveMemoryOfTheFabricWithoutACopy() throws Exception {
    MemorySegment memory = files.allocate(4 << 20);
    try (PvfsFile file = files.open(name, CREATE, READ, WRITE)) {
      ClientSnapshot before = cluster.snapshot(files);
      file.write(memory, 0);
      assertEquals(4 << 20, file.read(memory, 0));
      file.partition(Partition.of(0, 1 << 20, 2 << 20)).read(memory.asSlice(0, 2 << 20), 0);
      ClientSnapshot after = cluster.snapshot(files);
      assertEquals(0, after.bytesCopied() - before.bytesCopied());
      assertEquals(10L << 20, after.bytesRead() + after.bytesWritten() - before.bytesRead() - before.bytesWritten());
    }
  }

  @Test
  void shouldDoWithoutWaitingWhatItDoesWaiting() throws Exception {
    AsyncNames names = files.async();
    get(names.mkdir(name, 0755));
    PvfsFile file = get(names.open(name + "/x", new StripingWish(1, 2, 4096), 0600, CREATE_NEW, WRITE));
    assertEquals(100_000, get(file.writeAsync(memory(random(100_000)), 0)));
    assertEquals(100_000, get(names.size(name + "/x")), "as the daemons have it");
    get(file.syncAsync());
    get(file.closeAsync());
    get(file.closeAsync());
    assertEquals(100_000, get(names.attributes(name + "/x")).bytes());
    assertEquals(1, get(names.list(name)).size());
    Throwable refused = assertThrows(ExecutionException.class, () -> get(names.rmdir(name))).getCause();
    assertEquals(Errno.ENOTEMPTY, assertInstanceOf(PvfsException.class, refused).errno());
    Throwable directory = assertThrows(ExecutionException.class, () -> get(names.open(name))).getCause();
    assertEquals(Errno.EISDIR, assertInstanceOf(PvfsException.class, directory).errno());
    get(names.unlink(name + "/x"));
    get(names.rmdir(name));
    assertThrows(ExecutionException.class, () -> get(names.attributes(name)));
  }

  private static void assertShutDown(CompletionStage<?> stage) {
    Throwable refused = assertThrows(ExecutionException.class, () -> get(stage)).getCause();
    assertEquals("ESHUTDOWN", Errno.name(assertInstanceOf(PvfsException.class, refused).errno()), refused::toString);
  }

  @Test
  void shouldSayThatItIsClosedToWhoDoesNotWait() throws Exception {
    PvfsFileSystem ended = cluster.connect(Caller.ROOT);
    PvfsFile file = ended.open(name, CREATE, READ, WRITE);
    ended.close();
    assertShutDown(file.readAsync(memory(new byte[10]), 0));
    assertShutDown(file.writeAsync(memory(new byte[10]), 0));
    assertShutDown(file.closeAsync());
    assertShutDown(ended.async().attributes(name));
  }

  /** Its manager has closed it. */
  @Test
  void shouldCloseAFileOfAFileSystemThatIsClosed() throws Exception {
    PvfsFileSystem ended = cluster.connect(Caller.ROOT);
    PvfsFile file = ended.open(name, CREATE, READ, WRITE);
    ended.close();
    file.close();
    assertTrue(file.isClosed());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLetWhatIsUnderWayEndBeforeItCloses(boolean waits) throws Exception {
    byte[] data = random(200_000);
    List<CompletionStage<Long>> writes = new ArrayList<>();
    PvfsFile file = files.open(name, STRIPES, 0644, CREATE_NEW, READ, WRITE);
    for (int at = 0; at < data.length; at += 500) {
      writes.add(file.writeAsync(memory(Arrays.copyOfRange(data, at, at + 500)), at));
    }
    if (waits) {
      get(file.closeAsync());
    } else {
      file.close();
    }
    for (CompletionStage<Long> write : writes) {
      assertEquals(500, get(write));
    }
    assertEquals(data.length, files.attributes(name).bytes());
    try (PvfsFile again = files.open(name)) {
      MemorySegment back = memory(new byte[data.length]);
      again.read(back, 0);
      assertArrayEquals(data, back.toArray(ValueLayout.JAVA_BYTE));
    }
  }

  /** Two thousand of 1 MiB each would be more than this JVM has. */
  @Test
  void shouldTakeLittleMemoryForFewBytesOfTheHeap() throws Exception {
    try (PvfsFile file = made(new byte[0])) {
      List<CompletionStage<Integer>> writes = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        writes.add(file.writeAsync(ByteBuffer.wrap(new byte[] {(byte) i, 1, 2}), 3L * i));
      }
      for (CompletionStage<Integer> write : writes) {
        assertEquals(3, get(write));
      }
      ByteBuffer back = ByteBuffer.allocate(6000);
      assertEquals(6000, file.read(back, 0));
      for (int i = 0; i < 2000; i++) {
        assertEquals((byte) i, back.get(3 * i));
      }
    }
  }

  @Test
  void shouldSayWhichDaemonHasWhichBytes() throws Exception {
    try (PvfsFile file = made(random(10_500))) {
      Distribution distribution = file.distribution();
      assertEquals(10_500, distribution.bytes());
      assertEquals("4000 3500 3000", distribution.parts().get(0).bytes() + " " + distribution.parts().get(1).bytes() + " "
          + distribution.parts().get(2).bytes());
      assertEquals("io-1", distribution.parts().get(1).address().node());
      assertEquals(new Distribution.Stripe(1500, 10, 1, 500), distribution.stripes(1500, 10, 5).getFirst());
      assertEquals(new Distribution.Stripe(1500, 500, 1, 500), distribution.stripes(1500, 600, 5).getFirst());
      assertEquals(11, distribution.stripes(0, Long.MAX_VALUE / 2, 100).size());
    }
  }

  private void assertNotMade(int errno, String path, StandardOpenOption how) {
    assertEquals(Errno.name(errno), Errno.name(assertThrows(PvfsException.class, () -> files.open(path, how, WRITE), path).errno()), path);
    Throwable later = assertThrows(ExecutionException.class, () -> get(files.async().open(path, how, WRITE)), path).getCause();
    assertEquals(Errno.name(errno), Errno.name(assertInstanceOf(PvfsException.class, later).errno()), path);
  }

  @Test
  void shouldSayThatADirectoryIsNoFileHoweverItIsCalled() throws Exception {
    files.mkdir(name, 0755);
    for (String path : new String[] {name, name + "/", name + "/.", name + "/..", "/", "//", "/."}) {
      assertNotMade(Errno.EISDIR, path, CREATE);
    }
    for (String path : new String[] {name, name + "/.", name + "/..", "/"}) {
      assertNotMade(Errno.EEXIST, path, CREATE_NEW);
    }
    assertNotMade(Errno.ENOENT, name + "/no/.", CREATE);
    assertNotMade(Errno.ENOENT, "", CREATE);
  }

  private static void assertErrno(int errno, org.junit.jupiter.api.function.Executable call) {
    PvfsException failed = assertThrows(PvfsException.class, call);
    assertEquals(Errno.name(errno), Errno.name(failed.errno()), failed.getMessage());
  }

  private static void assertWrong(String message, org.junit.jupiter.api.function.Executable call) {
    IllegalArgumentException wrong = assertThrows(IllegalArgumentException.class, call);
    assertTrue(wrong.getMessage().contains(message), wrong::getMessage);
  }

  @Test
  void shouldSayWhatIsWrongWithRangesAndPositions() throws Exception {
    try (PvfsFile file = made(random(3000))) {
      MemorySegment memory = memory(new byte[10]);
      long[] two = {0, 5};
      long[] one = {10};
      String message = "2 offsets and 1 lengths";
      assertWrong(message, () -> file.readList(two, one, memory));
      assertWrong(message, () -> file.writeList(two, one, memory));
      assertWrong(message, () -> file.readListAsync(two, one, memory));
      assertWrong(message, () -> file.writeListAsync(two, one, memory));
      assertWrong("1 offsets and 2 lengths", () -> file.readList(one, two, memory));
      FileView view = file.partition(Partition.of(7, 100, 300));
      assertWrong("position -1 of a view", () -> view.read(memory, -1));
      assertWrong("position -1 of a view", () -> view.write(memory, -1));
      assertWrong("position -1 of a view", () -> view.offsetOf(-1));
      Distribution distribution = file.distribution();
      assertWrong("5 stripes of 10 bytes from -1", () -> distribution.stripes(-1, 10, 5));
      assertWrong("5 stripes of -10 bytes from 0", () -> distribution.stripes(0, -10, 5));
      assertWrong("-5 stripes", () -> distribution.stripes(0, 10, -5));
      assertEquals(2, distribution.stripes(1500, Long.MAX_VALUE, 5).size(), "to the end");
      assertEquals(0, distribution.stripes(Long.MAX_VALUE, Long.MAX_VALUE, 5).size());
      file.writeList(two, new long[] {5, 5}, memory);
    }
  }

  @Test
  void shouldSayWhatIsWrongWithModesAndTargets() throws Exception {
    for (int mode : new int[] {-1, 010000, 0100644}) {
      assertWrong("must be from 0 to 07777", () -> files.mkdir(name, mode));
      assertWrong("must be from 0 to 07777", () -> files.open(name, StripingWish.NONE, mode, CREATE, WRITE));
      assertWrong("must be from 0 to 07777", () -> files.async().mkdir(name, mode));
      assertWrong("must be from 0 to 07777", () -> files.async().open(name, StripingWish.NONE, mode, CREATE, WRITE));
      assertWrong("must be from 0 to 07777", () -> files.metadata().setMode(PvfsFileSystem.ROOT, mode));
    }
    files.mkdir(name, 07777);
    assertEquals(07777, files.attributes(name).mode() & 07777);
    for (int bytes : new int[] {4096, 10_000}) {
      PvfsException longer = assertThrows(PvfsException.class, () -> files.symlink("x".repeat(bytes), name + "/link"));
      assertEquals("symlink " + name + "/link: its target has " + bytes + " bytes, may have 4095 (ENAMETOOLONG)", longer.getMessage());
    }
    files.symlink("x".repeat(4095), name + "/link");
    assertEquals(4095, files.readSymlink(name + "/link").length());
  }

  @Test
  void shouldWaitForEverForALock() throws Exception {
    PvfsFileSystem others = cluster.connect(Caller.ROOT);
    try (PvfsFile mine = made(random(100)); PvfsFile theirs = others.open(name, READ, WRITE)) {
      for (Duration max : new Duration[] {Duration.ofSeconds(Long.MAX_VALUE), Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000), Duration.ofDays(36_500)}) {
        PvfsLock held = mine.tryLock(0, 10, false);
        CompletableFuture<PvfsLock> waiting = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> complete(waiting, theirs, max));
        Thread.sleep(50);
        assertTrue(!waiting.isDone(), "it waits " + max);
        held.close();
        get(waiting).close();
        thread.join();
      }
      PvfsLock held = mine.tryLock(0, 10, false);
      assertErrno(Errno.ETIMEDOUT, () -> theirs.lock(0, 10, false, Duration.ofSeconds(Long.MIN_VALUE)));
      held.close();
    }
  }

  private static void complete(CompletableFuture<PvfsLock> waiting, PvfsFile file, Duration max) {
    try {
      waiting.complete(file.lock(0, 10, false, max));
    } catch (PvfsException | RuntimeException failed) {
      waiting.completeExceptionally(failed);
    }
  }

  @Test
  void shouldLeaveTheRootDirectoryWhereItIs() throws Exception {
    files.mkdir(name, 0755);
    for (String root : new String[] {"/", "//"}) {
      assertErrno(Errno.EBUSY, () -> files.rename(root, name + "/x"));
      assertErrno(Errno.EBUSY, () -> files.rename(name, root));
      assertErrno(Errno.EBUSY, () -> files.rmdir(root));
      assertErrno(Errno.EISDIR, () -> files.unlink(root));
      assertErrno(Errno.EEXIST, () -> files.mkdir(root, 0755));
      assertErrno(Errno.EEXIST, () -> files.symlink(name, root));
      assertErrno(Errno.EEXIST, () -> files.link(name, root));
      Throwable refused = assertThrows(ExecutionException.class, () -> get(files.async().rmdir(root))).getCause();
      assertEquals(Errno.EBUSY, assertInstanceOf(PvfsException.class, refused).errno());
    }
    assertErrno(Errno.ENOENT, () -> files.rmdir(""));
  }

  @Test
  void shouldMakeAFileWhereADanglingLinkLeads() throws Exception {
    files.mkdir(name, 0755);
    files.symlink("there", name + "/link");
    files.open(name + "/link", CREATE, WRITE).close();
    assertTrue(files.attributes(name + "/there").isRegular());
    assertEquals("there", files.readSymlink(name + "/link"));
    files.symlink("round", name + "/round");
    assertEquals(Errno.ELOOP, assertThrows(PvfsException.class, () -> files.open(name + "/round", CREATE, WRITE)).errno());
    assertEquals(Errno.EEXIST, assertThrows(PvfsException.class, () -> files.rename(name + "/link", name + "/there", false)).errno());
  }
}
