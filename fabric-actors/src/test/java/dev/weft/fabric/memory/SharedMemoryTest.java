package dev.weft.fabric.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.fabric.rules.Needs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much there may be, and that nothing stays when it cannot be given. */
@Tag("slow")
@Timeout(180)
class SharedMemoryTest {
  private static final long BYTES = 64 * 1024;

  @BeforeEach
  void start() {
    Needs.that(LinuxMemory.isSupported(), "there is no memfd_create(2), which Linux has");
  }

  @Test
  void shouldRefuseMoreThanTheLimitOfDirectMemory() {
    long before = SharedMemory.sharedBytes();
    try (Arena arena = Arena.ofShared()) {
      for (long bytes : new long[] {1L << 45, Long.MAX_VALUE - 4096}) {
        OutOfMemoryError e = assertThrows(OutOfMemoryError.class, () -> SharedMemory.allocate(arena, bytes, 4096));
        assertTrue(e.getMessage().contains("-XX:MaxDirectMemorySize"), e.getMessage());
      }
      assertTrue(SharedMemory.sharedBytes() <= before); // Less if a collection has found what other tests left.
      long large = 256 * BYTES;
      SharedMemory.allocate(arena, large + 1, 4096);
      assertTrue(SharedMemory.sharedBytes() >= large + 4096);
    }
    assertTrue(SharedMemory.sharedBytes() <= before);
  }

  @Test
  void shouldCountOrdinaryDirectMemoryToo() {
    AtomicLong ordinary = new AtomicLong(300);
    DirectMemoryLimit limit = new DirectMemoryLimit(1000, () -> 2000, ordinary::get, () -> {});
    limit.take(500);
    String message = assertThrows(OutOfMemoryError.class, () -> limit.take(201)).getMessage();
    assertTrue(message.contains("201 bytes") && message.contains("left: 200, limit: 1000"), message);
    limit.take(200);
    assertThrows(OutOfMemoryError.class, () -> limit.take(1));
    ordinary.set(299);
    limit.take(1);
    limit.give(701);
    assertEquals(0, limit.taken());
  }

  @Test
  void shouldAskForDirectMemoryOnlyWhenItMayMatter() {
    AtomicLong asked = new AtomicLong();
    DirectMemoryLimit limit = new DirectMemoryLimit(1000, () -> 300, asked::incrementAndGet, () -> {});
    limit.take(700);
    assertEquals(0, asked.get());
    limit.take(1);
    assertEquals(1, asked.get());
    assertEquals(701, limit.taken());
  }

  @Test
  void shouldAgreeWithTheManagementBeans() {
    assertEquals(DirectMemoryLimit.Beans.configuredBytes(), DirectMemoryLimit.configuredBytes());
    ByteBuffer direct = ByteBuffer.allocateDirect(16 << 20);
    assertTrue(DirectMemoryLimit.directBytes() >= direct.capacity());
    assertTrue(DirectMemoryLimit.anonymousBytes() >= DirectMemoryLimit.directBytes());
    Reference.reachabilityFence(direct);
  }

  @Test
  void shouldCollectWhatNobodyRefersToBeforeItRefuses() {
    AtomicLong ordinary = new AtomicLong(1000);
    DirectMemoryLimit limit = new DirectMemoryLimit(1000, () -> 2000, ordinary::get, () -> ordinary.set(0));
    limit.take(1000);
    assertEquals(1000, limit.taken());
  }

  @Test
  void shouldGiveTheCollectorItsTimeThoughTheThreadIsInterrupted() {
    AtomicLong ordinary = new AtomicLong(1000);
    AtomicLong collectedNs = new AtomicLong(Long.MAX_VALUE);
    DirectMemoryLimit limit = new DirectMemoryLimit(1000, () -> 2000, () -> System.nanoTime() < collectedNs.get() ? ordinary.get() : 0,
        () -> collectedNs.set(System.nanoTime() + 50_000_000)); // It needs a moment.
    Thread.currentThread().interrupt();
    limit.take(1000);
    assertTrue(Thread.interrupted(), "it stays interrupted");
    assertEquals(1000, limit.taken());
  }

  @Test
  void shouldLeaveNothingBehindWhenTheArenaDoesNotTakeIt() throws Exception {
    Arena closed = Arena.ofShared();
    closed.close();
    Arena[] foreign = new Arena[1];
    Thread other = new Thread(() -> foreign[0] = Arena.ofConfined());
    other.start();
    other.join();
    long bytes = SharedMemory.sharedBytes();
    long files = files();
    for (int i = 0; i <= SharedMemory.SEGMENTS_MAX; i++) {
      assertThrows(IllegalStateException.class, () -> SharedMemory.allocate(closed, BYTES, 4096));
      assertThrows(WrongThreadException.class, () -> SharedMemory.allocate(foreign[0], BYTES, 4096));
    }
    assertTrue(SharedMemory.sharedBytes() <= bytes);
    assertTrue(files() <= files);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = SharedMemory.allocate(arena, BYTES, 4096);
      assertTrue(SharedMemory.keyOf(memory.address(), BYTES) != 0, "all places are taken");
      assertTrue(files() <= files + 1);
    }
  }

  @Test
  void shouldBringAllPagesIn() throws Exception {
    long bytes = 9L << 20; // More than one call's.
    try (Arena arena = Arena.ofShared(); RandomAccessFile pages = new RandomAccessFile("/proc/self/pagemap", "r")) {
      MemorySegment memory = SharedMemory.allocate(arena, bytes, 4096);
      assumeTrue(SharedMemory.keyOf(memory.address(), bytes) != 0, "ordinary memory");
      for (long at = 0; at < bytes; at += 4096) {
        pages.seek((memory.address() + at) / 4096 * Long.BYTES);
        assertTrue(Long.reverseBytes(pages.readLong()) < 0, "the page at " + at + " is not in place"); // Its highest bit says so.
      }
    }
  }

  /** Descriptors of shared memory that this process has open. */
  private static long files() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(SharedMemoryTest::isShared).count();
    }
  }

  private static boolean isShared(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().contains("memfd:weft");
    } catch (IOException closedMeanwhile) {
      return false;
    }
  }
}
