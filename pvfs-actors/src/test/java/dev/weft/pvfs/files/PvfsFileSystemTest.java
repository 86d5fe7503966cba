package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.OwnThread;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** The native interface on a manager and three daemons of one JVM. */
@Tag("actor")
@Timeout(240)
class PvfsFileSystemTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private final PvfsFileSystem files = cluster.connect(Caller.ROOT);

  @AfterEach
  void close() {
    cluster.close();
  }

  private static MemorySegment memory(byte[] bytes) {
    return Arena.ofAuto().allocate(Math.max(1, bytes.length)).asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
  }

  private static MemorySegment text(String text) {
    return memory(text.getBytes(StandardCharsets.UTF_8));
  }

  /** It has told the manager nothing: the daemons know. */
  @Test
  void shouldKeepTheTimeOfAWriteWhoseWriterIsGone() throws Exception {
    files.open("/log", CREATE, WRITE).close();
    long made = files.stat("/log", true).attributes().mtimeNs();
    PvfsFileSystem writer = cluster.connect(Caller.ROOT);
    PvfsFile log = writer.open("/log", WRITE);
    log.write(text("in place"), 0);
    long shown = files.stat("/log", true).attributes().mtimeNs();
    assertTrue(shown > made, () -> "made at " + made + ", written at " + shown);
    writer.close();
    Waits.await(() -> writer.meta().isClosed(), () -> "the writer is gone");
    assertEquals(shown, files.stat("/log", true).attributes().mtimeNs());
    try (PvfsFile again = files.open("/log", WRITE)) {
      again.write(text("again"), 0);
    }
    assertTrue(files.attributes("/log").mtimeNs() > shown, "the close tells the manager");
  }

  private static String read(PvfsFile file) throws PvfsException {
    MemorySegment back = Arena.ofAuto().allocate(1000);
    return new String(back.asSlice(0, file.read(back, 0)).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  private static void assertErrno(int errno, Executable action) {
    PvfsException failed = assertThrows(PvfsException.class, action);
    assertEquals(Errno.name(errno), Errno.name(failed.errno()), failed.getMessage());
  }

  @Test
  void shouldLockRangesAgainstOtherClients() throws Exception {
    PvfsFileSystem others = cluster.connect(Caller.ROOT);
    try (PvfsFile mine = files.open("/locked", CREATE, READ, WRITE); PvfsFile theirs = others.open("/locked", READ, WRITE)) {
      PvfsFile third = others.open("/locked", READ, WRITE);
      PvfsLock lock = mine.lock(0, 100, false, PATIENCE);
      assertNull(theirs.tryLock(99, 1, true));
      assertTrue(theirs.tryLock(100, 0, false) != null);
      assertNull(third.tryLock(1 << 20, 1, false), "two open files of one client are two owners");
      assertErrno(Errno.ETIMEDOUT, () -> theirs.lock(50, 10, true, Duration.ofMillis(50)));
      CompletableFuture<PvfsLock> waiting = CompletableFuture.supplyAsync(() -> lockOrFail(third), OwnThread::run);
      lock.close();
      assertTrue(waiting.get().isShared());
      assertNull(mine.tryLock(0, 1, false));
      third.close();
      assertTrue(mine.tryLock(0, 1, false) != null, "who closes the file unlocks it");
      assertErrno(Errno.EBADF, () -> third.tryLock(0, 1, true));
    }
    assertErrno(Errno.EBADF, () -> files.open("/locked", READ).tryLock(0, 1, false));
  }

  /** What {@code file} gets that asks for a byte; where it is refused, it gives up what it holds. */
  private static String outcome(PvfsFile file, long position, PvfsLock held) {
    try {
      file.lock(position, 1, false, PATIENCE);
      return "OK";
    } catch (PvfsException refused) {
      try {
        held.close();
      } catch (PvfsException failed) {
        throw new AssertionError(failed);
      }
      return Errno.name(refused.errno());
    }
  }

  @Test
  void shouldRefuseALockThatWouldNeverCome() throws Exception {
    PvfsFileSystem others = cluster.connect(Caller.ROOT);
    try (PvfsFile mine = files.open("/locked", CREATE, READ, WRITE); PvfsFile theirs = others.open("/locked", READ, WRITE)) {
      PvfsLock first = mine.lock(0, 1, false, PATIENCE);
      PvfsLock second = theirs.lock(1, 1, false, PATIENCE);
      CompletableFuture<String> one = CompletableFuture.supplyAsync(() -> outcome(mine, 1, first), OwnThread::run);
      String other = outcome(theirs, 0, second);
      assertEquals(Set.of("EDEADLK", "OK"), Set.of(one.get(), other));
    }
  }

  private static PvfsLock lockOrFail(PvfsFile file) {
    try {
      return file.lock(0, 10, true, PATIENCE);
    } catch (PvfsException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void shouldTellEachWhoWritesOnceThatADaemonHasLostSomething() throws Exception {
    try (PvfsFile written = files.open("/lost", new StripingWish(0, 3, 1000), 0644, CREATE, READ, WRITE); PvfsFile another = files.open("/lost", WRITE);
        PvfsFile third = files.open("/lost", APPEND); PvfsFile reader = files.open("/lost", READ);
        PvfsFile elsewhere = files.open("/kept", new StripingWish(1, 1, 1000), 0644, CREATE, WRITE)) {
      written.write(memory(new byte[10_000]), 0);
      elsewhere.write(memory(new byte[10_000]), 0);
      cluster.restartDaemon(0);
      assertErrno(Errno.EIO, written::sync);
      written.sync();
      CompletionException failed = assertThrows(CompletionException.class, () -> another.syncAsync().toCompletableFuture().join());
      assertEquals(Errno.EIO, ((PvfsException) failed.getCause()).errno());
      another.syncAsync().toCompletableFuture().join();
      assertErrno(Errno.EIO, third::sync);
      reader.sync();
      elsewhere.sync();
      try (PvfsFile later = files.open("/lost", WRITE)) {
        later.sync();
      }
    }
  }

  @Test
  void shouldUnlockWhatALostClientHeld() throws Exception {
    PvfsFile mine = files.open("/held", CREATE, READ, WRITE);
    PvfsFile theirs = cluster.connect(Caller.ROOT).open("/held", READ, WRITE);
    theirs.lock(0, 0, false, PATIENCE);
    assertNull(mine.tryLock(0, 1, false));
    cluster.loseLastClient();
    assertTrue(!mine.lock(0, 1, false, PATIENCE).isShared());
  }

  @Test
  void shouldLoseNoRecordWhereSeveralClientsAppend() throws Exception {
    int each = 300;
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int client = 0; client < 3; client++) {
      PvfsFileSystem of = cluster.connect(Caller.ROOT);
      int number = client;
      all.add(CompletableFuture.runAsync(() -> appendLines(of, number, each), OwnThread::run));
    }
    for (CompletableFuture<Void> one : all) {
      one.get();
    }
    try (PvfsFile file = files.open("/log")) {
      MemorySegment back = Arena.ofAuto().allocate(file.size());
      file.read(back, 0);
      List<String> lines = new String(back.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8).lines().sorted().toList();
      List<String> expected = IntStream.range(0, 3).boxed().flatMap(client -> IntStream.range(0, each).mapToObj(i -> line(client, i))).sorted().toList();
      assertEquals(expected, lines);
    }
  }

  private static String line(int client, int number) {
    return client + " " + number + " " + "x".repeat(number % 50);
  }

  private static void appendLines(PvfsFileSystem of, int client, int count) {
    try (PvfsFile file = of.open("/log", CREATE, APPEND)) {
      for (int i = 0; i < count; i++) {
        file.write(text(line(client, i) + "\n"), 0);
      }
      assertErrno(Errno.EINVAL, () -> file.writeAsync(text("x"), 0));
    } catch (PvfsException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void shouldReadWhatWasWrittenOverAllDaemons() throws Exception {
    byte[] data = new byte[1 << 20];
    new Random(5).nextBytes(data);
    try (PvfsFile file = files.open("/big", CREATE_NEW, WRITE)) {
      file.write(memory(data), 0);
      assertEquals(1 << 20, file.size());
      assertEquals(3, file.striping().count());
    }
    assertEquals(1 << 20, files.attributes("/big").bytes(), "the manager knows the length after the last close");
    MemorySegment back = Arena.ofAuto().allocate(2 << 20);
    try (PvfsFile file = files.open("/big")) {
      assertEquals(1 << 20, file.read(back, 0));
      assertEquals(10, file.read(back.asSlice(0, 100), (1 << 20) - 10));
    }
    MemorySegment again = Arena.ofAuto().allocate(1 << 20);
    try (PvfsFile file = cluster.connect(Caller.ROOT).open("big")) {
      assertEquals(1 << 20, file.readAsync(again, 0).toCompletableFuture().get());
    }
    assertArrayEquals(data, again.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void shouldKeepTheRulesOfNames() throws Exception {
    files.mkdir("/d", 0755);
    files.mkdir("/d/e", 0755);
    try (PvfsFile file = files.open("/d/e/f", CREATE, WRITE)) {
      file.write(text("hello"), 0);
    }
    assertErrno(Errno.EEXIST, () -> files.open("/d/e/f", CREATE_NEW, WRITE));
    assertErrno(Errno.ENOENT, () -> files.open("/d/g"));
    assertErrno(Errno.ENOENT, () -> files.mkdir("/x/y", 0755));
    assertErrno(Errno.ENOTDIR, () -> files.open("/d/e/f/g"));
    assertErrno(Errno.EISDIR, () -> files.open("/d", WRITE));
    assertErrno(Errno.ENOTEMPTY, () -> files.rmdir("/d/e"));
    assertErrno(Errno.EINVAL, () -> files.rename("/d", "/d/e/d"));
    assertErrno(Errno.ENAMETOOLONG, () -> files.mkdir("/" + "n".repeat(256), 0755));
    files.link("/d/e/f", "/hard");
    files.symlink("d/e/f", "/soft");
    files.rename("/d/e/f", "/d/moved");
    files.rmdir("/d/e");
    try (PvfsFile file = files.open("/hard")) {
      assertEquals("hello", read(file));
    }
    assertErrno(Errno.ENOENT, () -> files.open("/soft"));
    assertEquals(2, files.attributes("/d/moved").links());
    List<String> names = files.list("/").stream().map(entry -> new String(entry.name(), StandardCharsets.UTF_8)).sorted().toList();
    assertEquals(List.of("d", "hard", "soft"), names);
  }

  @Test
  void shouldListADirectoryOfManyPages() throws Exception {
    files.mkdir("/many", 0755);
    for (int i = 0; i < 500; i++) {
      files.mkdir("/many/a-directory-with-a-rather-long-name-" + i, 0755);
    }
    List<DirectoryPage.Entry> all = files.list("/many");
    assertEquals(500, all.stream().map(entry -> new String(entry.name(), StandardCharsets.UTF_8)).distinct().count());
    assertEquals(502, files.attributes("/many").links());
  }

  @Test
  void shouldGiveBackTheMemoryOfAFileThatNobodyHasOpenAnyMore() throws Exception {
    long free = cluster.freeBytes();
    PvfsFile open = files.open("/gone", CREATE, READ, WRITE);
    open.write(memory(new byte[3 << 20]), 0);
    files.unlink("/gone");
    assertErrno(Errno.ENOENT, () -> files.open("/gone"));
    assertEquals(3 << 20, open.read(memory(new byte[3 << 20]), 0), "it is open");
    open.close();
    assertTrue(cluster.gets(free), () -> cluster.freeBytes() + " of " + free);
  }

  @Test
  void shouldEmptyAFileBeforeItIsWrittenAnew() throws Exception {
    try (PvfsFile file = files.open("/t", CREATE, WRITE)) {
      file.write(text("0123456789"), 0);
    }
    try (PvfsFile file = files.open("/t", READ, WRITE, TRUNCATE_EXISTING)) {
      assertEquals(0, file.size());
      file.write(text("ab"), 1);
      assertEquals("\0ab", read(file));
    }
  }

  @Test
  void shouldStripeAsTheFileOrItsDirectoryWishes() throws Exception {
    files.mkdir("/wide", 0755);
    files.setStriping("/wide", new StripingWish(2, 2, 100));
    try (PvfsFile file = files.open("/wide/f", CREATE, WRITE)) {
      assertEquals(2, file.striping().base());
      assertEquals(2, file.striping().count());
      assertEquals(100, file.striping().stripeBytes());
    }
    PvfsException tooMany = assertThrows(PvfsException.class, () -> files.setStriping("/wide", new StripingWish(StripingWish.ANY, 99, StripingWish.ANY)));
    assertEquals(Errno.EINVAL, tooMany.errno());
    assertTrue(tooMany.getMessage().contains("is 99, must be from 1 to "), tooMany.getMessage());
    try (PvfsFile file = files.open("/one", new StripingWish(1, 1, 4096), 0600, CREATE, WRITE)) {
      assertEquals(1, file.striping().count());
      assertEquals(1, file.striping().base());
    }
    assertErrno(Errno.EINVAL, () -> files.open("/x", new StripingWish(9, 1, 1), 0600, CREATE, WRITE));
  }

  @Test
  void shouldRefuseWhomPermissionsRefuse() throws Exception {
    PvfsFileSystem user = cluster.connect(new Caller(1000, 1000, List.of()));
    files.open("/secret", StripingWish.NONE, 0600, CREATE, WRITE).close();
    files.mkdir("/mine", 0755);
    assertErrno(Errno.EACCES, () -> user.open("/secret"));
    assertErrno(Errno.EACCES, () -> user.mkdir("/mine/d", 0755));
    assertErrno(Errno.EACCES, () -> user.unlink("/secret"));
    files.mkdir("/all", 01777);
    try (PvfsFile own = user.open("/all/own", StripingWish.NONE, 0400, CREATE, WRITE)) {
      own.write(text("x"), 0);
    }
    assertErrno(Errno.EACCES, () -> user.open("/all/own", WRITE));
  }

  @Test
  void shouldSayThatAFileIsClosedOrNotForThat() throws Exception {
    PvfsFile file = files.open("/c", CREATE, WRITE);
    assertErrno(Errno.EBADF, () -> file.read(text("x"), 0));
    file.close();
    file.close();
    assertErrno(Errno.EBADF, () -> file.write(text("x"), 0));
    assertThrows(UnsupportedOperationException.class, () -> files.open("/c", java.nio.file.StandardOpenOption.DELETE_ON_CLOSE));
  }

  @Test
  void shouldCloseWhatALostClientHadOpen() throws Exception {
    long free = cluster.freeBytes();
    PvfsFileSystem other = cluster.connect(Caller.ROOT);
    PvfsFile open = other.open("/orphan", CREATE, WRITE);
    open.write(memory(new byte[1 << 20]), 0);
    files.unlink("/orphan");
    cluster.loseLastClient();
    assertTrue(cluster.gets(free), () -> cluster.freeBytes() + " of " + free);
  }

  @Test
  void shouldStripeAsTheManagerWasToldWhereNobodyHasAWish() throws Exception {
    try (FileSystemCluster told = new FileSystemCluster(3, "weft.pvfs.manager { stripe-count = 2, stripe-size = 12345 }")) {
      try (PvfsFile file = told.connect(Caller.ROOT).open("/f", CREATE, WRITE)) {
        assertEquals(2, file.striping().count());
        assertEquals(12_345, file.striping().stripeBytes());
      }
    }
  }

  /** Each may have seen a length that the other has changed since. */
  @Test
  void shouldAskTheDaemonsForTheLengthOfAFileThatTwoHadOpen() throws Exception {
    PvfsFile early = files.open("/two", CREATE, WRITE);
    PvfsFile late = cluster.connect(Caller.ROOT).open("/two", WRITE);
    early.write(text("12345"), 0);
    late.write(text("67890"), 5);
    late.close();
    early.close();
    assertEquals(10, files.size("/two"));
    assertEquals(1, files.meta().ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, files.attributes("/two").inode())).number());
    try (PvfsFile alone = files.open("/two", WRITE)) {
      alone.write(text("x"), 20);
    }
    assertEquals(21, files.attributes("/two").bytes());
    assertEquals(0, files.meta().ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, files.attributes("/two").inode())).number());
  }
}
