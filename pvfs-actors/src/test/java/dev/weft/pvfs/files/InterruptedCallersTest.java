package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileLock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Threads that are interrupted, and files that are closed while something of them is under way. */
@Tag("actor")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InterruptedCallersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private final FileSystemCluster cluster = new FileSystemCluster(2, "");
  private final PvfsFileSystem files = cluster.connect(Caller.ROOT);
  private final PvfsFileSystem others = cluster.connect(Caller.ROOT);
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

  private static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes).fill((byte) 1);
  }

  private interface Call {
    void run() throws Exception;
  }

  /** In a thread of its own, which waits when this returns. */
  private static final class Waiting {
    final CompletableFuture<Boolean> end = new CompletableFuture<>();
    final Thread thread;

    Waiting(Call call) {
      thread = Thread.ofPlatform().start(() -> {
        try {
          call.run();
          end.complete(Thread.currentThread().isInterrupted());
        } catch (Throwable thrown) {
          end.completeExceptionally(Thread.currentThread().isInterrupted() ? thrown : new AssertionError("is not interrupted any more", thrown));
        }
      });
      Waits.seen("the thread to wait", thread::getState, state -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING);
      assertFalse(end.isDone(), "it waits");
    }

    Throwable failure() {
      return assertThrows(ExecutionException.class, () -> end.get(90, TimeUnit.SECONDS)).getCause();
    }
  }

  private static void assertErrno(int errno, Throwable failed) {
    assertEquals(errno, failed instanceof PvfsException said ? said.errno() : -1, failed::toString);
  }

  @Test
  void shouldGiveBackALockThatComesWhenTheFileIsClosed() throws Exception {
    try (PvfsFile mine = files.open(name, CREATE, READ, WRITE)) {
      PvfsFile theirs = others.open(name, READ, WRITE);
      PvfsLock lock = mine.lock(0, 10, false, PATIENCE);
      Waiting waiting = new Waiting(() -> {
        try {
          theirs.lock(0, 10, false, PATIENCE);
        } finally {
          Thread.currentThread().interrupt(); // Only what was thrown is looked at.
        }
      });
      theirs.close();
      lock.close();
      assertErrno(Errno.EBADF, waiting.failure());
      assertNotNull(mine.tryLock(0, 10, false), "nobody has it");
    }
  }

  @Test
  void shouldWaitForALockNoMoreWhenItIsInterrupted() throws Exception {
    try (PvfsFile mine = files.open(name, CREATE, READ, WRITE); PvfsFile theirs = others.open(name, READ, WRITE)) {
      PvfsLock lock = mine.lock(0, 10, false, PATIENCE);
      Waiting waiting = new Waiting(() -> theirs.lock(0, 10, false, PATIENCE));
      waiting.thread.interrupt();
      assertErrno(Errno.EINTR, waiting.failure());
      lock.close();
      assertNotNull(mine.tryLock(0, 10, false), "what nobody waits for any more is not held");
      Thread.currentThread().interrupt();
      assertErrno(Errno.EINTR, assertThrows(PvfsException.class, () -> theirs.lock(20, 1, false, PATIENCE)));
      assertNotNull(theirs.tryLock(30, 1, false), "waits for nobody");
      assertTrue(Thread.interrupted());
      assertNotNull(mine.tryLock(20, 1, false));
    }
  }

  @Test
  void shouldAppendNothingIfItIsInterruptedBeforeItsTurn() throws Exception {
    try (PvfsFile mine = files.open(name, CREATE, APPEND)) {
      FileLock held = FileLock.whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE, 0);
      assertEquals(Errno.OK, others.meta().locks().lock(mine.inode(), held));
      Waiting waiting = new Waiting(() -> mine.append(memory(10)));
      Waiting next = new Waiting(() -> mine.append(memory(10)));
      next.thread.interrupt();
      assertErrno(Errno.EINTR, next.failure());
      waiting.thread.interrupt();
      assertErrno(Errno.EINTR, waiting.failure());
      assertEquals(Errno.OK, others.meta().locks().lock(mine.inode(), held.of(FileLock.NONE)));
      assertEquals(Errno.OK, others.meta().locks().lock(mine.inode(), held), "it is not held for a thread that has gone");
      assertEquals(Errno.OK, others.meta().locks().lock(mine.inode(), held.of(FileLock.NONE)));
      assertEquals(0, mine.append(memory(10)));
    }
  }

  @Test
  void shouldCloseToTheEndWhenItIsInterrupted() throws Exception {
    long free = cluster.freeBytes();
    PvfsFile file = files.open(name, CREATE, READ, WRITE);
    file.write(memory(10), 0);
    assertNotNull(file.tryLock(0, 1, false));
    CountDownLatch goesOn = cluster.stopHardware(files);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedCallException.class, () -> file.read(memory(10), 0));
    assertTrue(Thread.interrupted());
    goesOn.countDown();
    cluster.pauseHardware(files);
    Thread.currentThread().interrupt();
    file.close();
    assertTrue(Thread.interrupted(), "the interrupt is still there");
    DirectoryPage.Entry entry = files.list("/").stream().filter(each -> ("/" + PathNames.decode(each.name())).equals(name)).findAny().orElseThrow();
    assertFalse(entry.isLengthOpen());
    assertEquals(10, entry.attributes().bytes());
    try (PvfsFile other = others.open(name, WRITE)) {
      assertNotNull(other.tryLock(0, 1, false));
    }
    files.unlink(name);
    assertTrue(cluster.gets(free), "it is open nowhere");
  }

  @Test
  void shouldNotSayALengthWhileItIsWritten() throws Exception {
    MemorySegment data = files.allocate(4 << 20);
    for (int round = 0; round < 10; round++) {
      PvfsFile file = files.open(name, CREATE, WRITE);
      file.truncate(0);
      CompletionStage<Long> written = file.writeAsync(data, 0);
      if (round % 2 == 0) {
        file.close();
      } else {
        file.closeAsync().toCompletableFuture().get(90, TimeUnit.SECONDS);
      }
      assertEquals(data.byteSize(), written.toCompletableFuture().get(90, TimeUnit.SECONDS));
      assertEquals(data.byteSize(), others.stat(name, true).bytes(), "round " + round);
    }
  }
}
