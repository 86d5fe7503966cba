package dev.weft.pvfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Interrupts, what is closed while it is used, and what lies beyond every file. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NioEndsTest {
  private final FileSystemCluster cluster = new FileSystemCluster(2, "");
  private final PvfsFileSystem natively = cluster.connect(Caller.ROOT);
  private FileSystem files;

  @BeforeAll
  void open() throws IOException {
    files = FileSystems.newFileSystem(URI.create("pvfs://ends/"), Map.of("files", cluster.connect(Caller.ROOT)));
  }

  @AfterAll
  void close() throws IOException {
    files.close();
    cluster.close();
  }

  private interface Call {
    void run() throws Exception;
  }

  private static Throwable interrupted(Call call) throws InterruptedException {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread = Thread.ofPlatform().start(() -> {
      try {
        call.run();
        failure.set(new AssertionError("has come to its end"));
      } catch (Throwable thrown) {
        failure.set(Thread.currentThread().isInterrupted() ? thrown : new AssertionError("is not interrupted any more", thrown));
      }
    });
    Waits.seen("the thread to wait", thread::getState, state -> state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING);
    assertNull(failure.get(), "it waits");
    thread.interrupt();
    Waits.until("the thread to end", () -> !thread.isAlive(), () -> List.of(thread.getStackTrace()));
    return failure.get();
  }

  @Test
  void shouldEndAWaitForALockByAnInterrupt() throws Exception {
    Path file = Files.write(files.getPath("/locked"), new byte[10]);
    try (PvfsFile theirs = natively.open("/locked", StandardOpenOption.READ, StandardOpenOption.WRITE);
        FileChannel ours = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      var held = theirs.tryLock(0, 10, false);
      assertInstanceOf(FileLockInterruptionException.class, interrupted(() -> ours.lock(0, 10, false)));
      assertTrue(ours.isOpen());
      Thread.currentThread().interrupt();
      assertThrows(FileLockInterruptionException.class, () -> ours.lock(0, 10, false));
      assertTrue(Thread.interrupted(), "the interrupt is still there");
      held.close();
      assertNotNull(theirs.tryLock(0, 10, false), "nobody else has it");
      Thread.currentThread().interrupt();
      try (FileLock other = ours.tryLock(20, 1, false)) {
        assertTrue(other.isValid());
      }
      assertTrue(Thread.interrupted());
      assertNotNull(theirs.tryLock(20, 1, false), "given back by a thread that was interrupted");
    }
  }

  @Test
  void shouldGiveBackALockThatIsCancelledWhenItIsWaitedForAndWhenItComes() throws Exception {
    Path file = Files.write(files.getPath("/cancelled"), new byte[10]);
    for (int i = 0; i < 40; i++) {
      try (PvfsFile theirs = natively.open("/cancelled", StandardOpenOption.READ, StandardOpenOption.WRITE);
          AsynchronousFileChannel ours = AsynchronousFileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        var held = theirs.tryLock(0, 10, false);
        Future<FileLock> waiting = ours.lock(0, 10, false);
        if (i == 0) {
          Thread.sleep(200);
        } else {
          held.close(); // It may come before it is cancelled, or later.
        }
        boolean isCancelled = waiting.cancel(i % 2 == 0);
        held.close();
        if (!isCancelled) {
          waiting.get().release();
        }
        theirs.lock(0, 10, false, Duration.ofSeconds(90)).close();
        awaitLock(ours).release();
      }
    }
  }

  /** One that was cancelled is waited for by nobody a moment later. */
  private static FileLock awaitLock(AsynchronousFileChannel channel) throws Exception {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      try {
        return channel.lock(0, 10, false).get(90, TimeUnit.SECONDS);
      } catch (OverlappingFileLockException stillWaitedFor) {
        assertTrue(System.nanoTime() < endNs, "it is not waited for any more");
        Thread.sleep(1);
      }
    }
  }

  @Test
  void shouldCloseAChannelWhoseAppendIsInterrupted() throws Exception {
    Path file = Files.write(files.getPath("/appended"), new byte[10]);
    try (PvfsFile theirs = natively.open("/appended", StandardOpenOption.WRITE)) {
      var append = dev.weft.pvfs.wire.FileLock.whole(dev.weft.pvfs.wire.FileLock.APPEND, 0, dev.weft.pvfs.wire.FileLock.EXCLUSIVE, 0);
      assertEquals(Errno.OK, natively.meta().locks().lock(theirs.inode(), append));
      FileChannel channel = FileChannel.open(file, StandardOpenOption.APPEND);
      assertInstanceOf(ClosedByInterruptException.class, interrupted(() -> channel.write(ByteBuffer.allocateDirect(5))));
      assertFalse(channel.isOpen());
      assertEquals(Errno.OK, natively.meta().locks().lock(theirs.inode(), append.of(dev.weft.pvfs.wire.FileLock.NONE)));
      assertEquals(10, Files.size(file));
    }
  }

  @Test
  void shouldDeleteOnCloseWhenItIsInterrupted() throws Exception {
    Path file = files.getPath("/temporary");
    FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
    cluster.pauseHardware(natively);
    Thread.currentThread().interrupt();
    channel.close();
    assertTrue(Thread.interrupted());
    assertFalse(Files.exists(file));
  }

  @Test
  void shouldLeaveNothingOfACopyThatIsInterrupted() throws Exception {
    Path file = Files.write(files.getPath("/much"), new byte[20 << 20]);
    Path copy = files.getPath("/copied");
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread = Thread.ofPlatform().start(() -> {
      try {
        Files.copy(file, copy);
      } catch (IOException | RuntimeException failed) {
        failure.set(failed);
      }
    });
    while (thread.isAlive() && !Files.exists(copy)) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    thread.join(20_000);
    if (failure.get() == null) {
      assertEquals(20 << 20, Files.size(copy), "was faster than the interrupt");
    } else {
      assertInstanceOf(InterruptedIOException.class, failure.get());
      assertFalse(Files.exists(copy));
    }
  }

  @Test
  void shouldEndTheConnectionWhateverPartOfItFails() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    List<String> closed = new ArrayList<>();
    PvfsNioFileSystem system = new PvfsNioFileSystem(files.provider(), _ -> { }, "failing", new Connection(natively, () -> ended.set(true)),
        Duration.ofSeconds(1));
    for (int i = 0; i < 4; i++) {
      system.register(() -> {
        closed.add("one");
        throw new IllegalStateException("the client is closed");
      });
    }
    assertTrue(assertThrows(IOException.class, system::close).getMessage().contains("the client is closed"));
    assertTrue(ended.get());
    assertEquals(4, closed.size());
  }

  @Test
  void shouldHaveOneKeyOfADirectoryThatSeveralThreadsWatch() throws Exception {
    int threads = 8;
    try (ExecutorService all = Executors.newFixedThreadPool(threads); WatchService service = files.newWatchService()) {
      for (int round = 0; round < 10; round++) {
        Path directory = Files.createDirectory(files.getPath("/watched" + round));
        CyclicBarrier begin = new CyclicBarrier(threads);
        List<Future<WatchKey>> keys = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          keys.add(all.submit(() -> {
            begin.await();
            return directory.register(service, StandardWatchEventKinds.ENTRY_CREATE);
          }));
        }
        WatchKey first = keys.getFirst().get(90, TimeUnit.SECONDS);
        for (Future<WatchKey> each : keys) {
          assertSame(first, each.get(90, TimeUnit.SECONDS), "round " + round);
        }
        first.cancel();
        assertTrue(directory.register(service, StandardWatchEventKinds.ENTRY_CREATE).isValid());
      }
    }
  }

  @Test
  void shouldReadNothingAndWriteNothingBeyondEveryFile() throws Exception {
    Path file = Files.write(files.getPath("/far"), new byte[10]);
    Set<StandardOpenOption> options = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    try (FileChannel channel = FileChannel.open(file, options);
        AsynchronousFileChannel later = AsynchronousFileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (long far : new long[] {Striping.FILE_BYTES_MAX - 1, Striping.FILE_BYTES_MAX, Striping.FILE_BYTES_MAX + 1, Long.MAX_VALUE}) {
        for (ByteBuffer buffer : List.of(ByteBuffer.allocate(4), ByteBuffer.allocateDirect(4))) {
          assertEquals(far, channel.position(far).position());
          assertEquals(-1, channel.read(buffer));
          assertEquals(-1, channel.read(buffer, far));
          assertEquals(-1, later.read(buffer, far).get(90, TimeUnit.SECONDS));
          assertEquals(0, buffer.position());
          assertTrue(assertThrows(FileSystemException.class, () -> channel.write(buffer)).getMessage().contains("EFBIG"));
          assertThrows(FileSystemException.class, () -> channel.write(buffer, far));
          Throwable failed = assertThrows(ExecutionException.class, () -> later.write(buffer, far).get(90, TimeUnit.SECONDS)).getCause();
          assertInstanceOf(FileSystemException.class, failed);
        }
      }
      assertEquals(10, channel.truncate(Long.MAX_VALUE).size());
      assertEquals(10, channel.read(ByteBuffer.allocate(20), 0));
    }
  }

  @Test
  void shouldCompleteWhatAnExecutorThatIsShutDownDoesNotTake() throws Exception {
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(Files.write(files.getPath("/left"), new byte[10]),
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE), executor)) {
      executor.shutdown();
      assertEquals(10, channel.read(ByteBuffer.allocate(20), 0).get(90, TimeUnit.SECONDS));
      assertEquals(3, channel.write(ByteBuffer.allocate(3), 0).get(90, TimeUnit.SECONDS));
      assertTrue(channel.lock(0, 1, false).get(90, TimeUnit.SECONDS).isValid());
    }
  }

  @Test
  void shouldReadCharactersOfTwoHalvesInAnAddress() {
    assertEquals(files.getPath("/a😀b"), Path.of(URI.create("pvfs://ends/a😀b")));
    assertEquals(files.getPath("/ä%"), Path.of(URI.create("pvfs://ends/ä%25")));
  }
}
