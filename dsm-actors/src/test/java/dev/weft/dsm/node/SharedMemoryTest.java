package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.SharingUnit;
import dev.weft.hca.node.LocalFabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads of several nodes in one shared memory, in real time, within one JVM. */
@Tag("slow")
@Tag("actor")
class SharedMemoryTest {
  LocalFabric fabric;
  final List<DsmNode> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  String engine() {
    return "request";
  }

  final void start(int count, String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false\nweft.dsm.engine = "
        + engine() + "\n" + settings));
    for (int i = 0; i < count; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
    threads.shutdownNow();
  }

  /** Runs bodies at the same time, and answers what they answer. */
  private <T> List<T> together(List<Callable<T>> bodies) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    bodies.forEach(body -> futures.add(threads.submit(body)));
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get());
    }
    return results;
  }

  @Test
  @Timeout(180)
  void shouldServeFaultsBesideAThreadThatPrefetchesAndPushesWithoutEnd() throws Exception {
    start(2, "");
    SharedLongs here = nodes.get(0).longs("words", 512, SharingUnit.elements(1));
    SharedLongs there = nodes.get(1).longs("words", 512, SharingUnit.elements(1));
    AtomicBoolean ends = new AtomicBoolean();
    Future<?> asker = threads.submit(() -> {
      while (!ends.get()) {
        here.prefetch(0, 512);
        there.push(256, 256);
      }
    });
    try {
      for (int round = 1; round <= 200; round++) {
        there.set(round, round);
        assertEquals(round, here.get(round));
      }
    } finally {
      ends.set(true);
      asker.get();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"isr", "task-queue", "process", "polling"})
  void shouldReadWhatAnotherNodeHasWritten(String context) {
    start(3, "weft.dsm.context = " + context);
    SharedLongs first = nodes.get(0).longs("words", 100, SharingUnit.bytes(64));
    SharedLongs second = nodes.get(1).longs("words", 100, SharingUnit.bytes(64));
    SharedLongs third = nodes.get(2).longs("words", 100, SharingUnit.bytes(64));
    for (int round = 0; round < 200; round++) {
      first.set(7, round);
      assertEquals(round, second.get(7));
      assertEquals(round, third.get(7));
      second.set(99, -round);
      assertEquals(-round, first.get(99));
      third.set(7, round + 1_000_000L);
      assertEquals(round + 1_000_000L, first.get(7));
    }
    assertEquals(0, first.get(50));
  }

  @Test
  void shouldLoseNoIncrement() throws Exception {
    start(3, "");
    int perThread = 20_000;
    List<Callable<Void>> bodies = new ArrayList<>();
    for (DsmNode node : nodes) {
      SharedLongs words = node.longs("counters", 4, SharingUnit.bytes(8));
      for (int thread = 0; thread < 2; thread++) {
        bodies.add(() -> {
          for (int i = 0; i < perThread; i++) {
            words.getAndAdd(i & 3, 1);
          }
          return null;
        });
      }
    }
    together(bodies);
    SharedLongs words = nodes.get(0).longs("counters", 4, SharingUnit.bytes(8));
    for (int i = 0; i < 4; i++) {
      assertEquals(6L * perThread / 4, words.get(i));
    }
  }

  @Test
  void shouldLetOneThreadAtATimeHaveALock() throws Exception {
    start(3, "");
    int perThread = 2_000;
    List<Callable<Void>> bodies = new ArrayList<>();
    for (DsmNode node : nodes) {
      SharedLongs word = node.longs("word", 1, SharingUnit.whole());
      DsmLock lock = node.lock("lock");
      for (int thread = 0; thread < 2; thread++) {
        bodies.add(() -> {
          for (int i = 0; i < perThread; i++) {
            assertEquals(DsmLock.Acquired.RELEASED, lock.acquire());
            word.set(0, word.get(0) + 1);
            lock.release();
          }
          return null;
        });
      }
    }
    together(bodies);
    assertEquals(6L * perThread, nodes.get(1).longs("word", 1, SharingUnit.whole()).get(0));
  }

  @Test
  void shouldMeetAtABarrier() throws Exception {
    start(3, "");
    List<Callable<Void>> bodies = new ArrayList<>();
    int parties = 6;
    for (DsmNode node : nodes) {
      SharedLongs words = node.longs("rounds", parties, SharingUnit.bytes(8));
      DsmBarrier barrier = node.barrier("barrier", parties);
      for (int thread = 0; thread < 2; thread++) {
        int mine = bodies.size();
        bodies.add(() -> {
          for (int round = 1; round <= 200; round++) {
            words.set(mine, round);
            barrier.await();
            for (int other = 0; other < parties; other++) {
              assertEquals(round, words.get(other), "thread " + other + " as thread " + mine + " sees it");
            }
            barrier.await();
          }
          return null;
        });
      }
    }
    together(bodies);
  }

  @Test
  void shouldCopyRowsWhole() throws Exception {
    start(2, "");
    int columns = 600;
    List<Callable<Void>> bodies = new ArrayList<>();
    for (DsmNode node : nodes) {
      SharedDoubles matrix = node.doubles("matrix", 4L * columns, SharingUnit.elements(50));
      bodies.add(() -> {
        double[] row = new double[columns];
        for (int i = 0; i < 500; i++) {
          matrix.read((i & 3) * (long) columns, row, 0, columns);
          double first = row[0];
          assertTrue(IntStream.range(0, columns).allMatch(column -> row[column] == first), "row " + (i & 3) + " is a mixture");
          java.util.Arrays.fill(row, i * 2 + node.node());
          matrix.write((i & 3) * (long) columns, row, 0, columns);
        }
        return null;
      });
    }
    together(bodies);
  }

  @Test
  void shouldSignalThroughAQueue() throws Exception {
    start(2, "");
    int count = 500;
    Callable<Long> producer = () -> queue(nodes.get(0), true, count);
    Callable<Long> consumer = () -> queue(nodes.get(1), false, count);
    assertEquals(List.of((long) count * (count - 1) / 2, (long) count * (count - 1) / 2), together(List.of(producer, consumer)));
  }

  /** A queue of 8 places: words 0 and 1 count what was put and taken. */
  private static long queue(DsmNode node, boolean isProducer, int count) {
    SharedLongs words = node.longs("queue", 10, SharingUnit.whole());
    DsmLock lock = node.lock("queue-lock");
    DsmCondition changed = node.condition("queue-changed", lock);
    long sum = 0;
    for (int i = 0; i < count; i++) {
      lock.acquire();
      while (isProducer ? words.get(0) - words.get(1) == 8 : words.get(0) == words.get(1)) {
        changed.await();
      }
      if (isProducer) {
        words.set(2 + i % 8, i);
        words.set(0, i + 1L);
        sum += i;
      } else {
        sum += words.get(2 + i % 8);
        words.set(1, i + 1L);
      }
      changed.signalAll();
      lock.release();
    }
    return sum;
  }

  @Test
  void shouldTellWhatIsWrong() {
    start(2, "");
    DsmNode node = nodes.get(1);
    SharedLongs words = node.longs("words", 10, SharingUnit.bytes(8));
    assertEquals("\"words\" is longs of length 10 in minipages of 8 bytes, and was asked for as longs of length 11 in minipages of 8 bytes",
        assertThrows(IllegalArgumentException.class, () -> nodes.get(0).longs("words", 11, SharingUnit.bytes(8))).getMessage());
    assertThrows(IndexOutOfBoundsException.class, () -> words.get(10));
    assertThrows(IndexOutOfBoundsException.class, () -> words.read(5, new long[10], 0, 6));
    String tooMuch = assertThrows(SharedMemoryException.class, () -> node.longs("huge", 1 << 20, SharingUnit.bytes(4096))).getMessage();
    assertTrue(tooMuch.contains("weft.dsm.memory is 4194304"), tooMuch);
    assertThrows(IllegalArgumentException.class, () -> node.longs("", 1, SharingUnit.whole()));
    assertThrows(IllegalArgumentException.class, () -> node.lock("\ud800x")); // Half a character has no UTF-8.
    String control = "a name with the character U+000A at index 1, must be printable characters";
    assertEquals(control, assertThrows(IllegalArgumentException.class, () -> node.longs("a\n", 1, SharingUnit.whole())).getMessage());
    assertEquals(control, assertThrows(IllegalArgumentException.class, () -> node.lock("a\n")).getMessage());
    assertEquals(control, assertThrows(IllegalArgumentException.class, () -> node.barrier("a\n", 1)).getMessage());
    assertEquals(control, assertThrows(IllegalArgumentException.class, () -> node.condition("a\n", node.lock("lock"))).getMessage());
    assertEquals("the barrier \"b\" of -1 parties, must be from 1 to 65536 threads that meet",
        assertThrows(IllegalArgumentException.class, () -> node.barrier("b", -1)).getMessage());
    assertEquals("the barrier \"b\" of 65537 parties, must be from 1 to 65536 threads that meet",
        assertThrows(IllegalArgumentException.class, () -> node.barrier("b", 65_537)).getMessage());
    assertThrows(IllegalArgumentException.class, () -> node.longs("vast", 16, SharingUnit.bytes(Long.MAX_VALUE - 7)));
    assertThrows(IllegalArgumentException.class, () -> node.ints("vast", 16, SharingUnit.elements(1L << 61)));
    assertEquals(16, node.longs("vast", 16, SharingUnit.whole()).length(), "what was refused has no name");
    assertThrows(IllegalArgumentException.class, () -> node.ints("odd", 3, SharingUnit.elements(1)));
    assertThrows(IllegalStateException.class, () -> node.lock("lock").release());
    node.lock("lock").acquire();
    assertThrows(IllegalStateException.class, () -> node.lock("lock").acquire());
    assertEquals(Optional.empty(), nodes.get(0).lock("lock").tryAcquire(Duration.ofMillis(20)));
    node.lock("lock").release();
    assertEquals(Optional.of(DsmLock.Acquired.RELEASED), nodes.get(0).lock("lock").tryAcquire(Duration.ofSeconds(20)));
  }

  @Test
  void shouldRefuseWhatWasFreedAndUseItsPlaceAgain() {
    start(2, "");
    for (int i = 0; i < 20; i++) {
      SharedLongs words = nodes.get(i & 1).longs("big", 400_000, SharingUnit.bytes(4096));
      assertEquals(0, words.get(399_999));
      words.set(399_999, i + 1L);
      SharedLongs other = nodes.get(1 - (i & 1)).longs("big", 400_000, SharingUnit.bytes(4096));
      assertEquals(i + 1L, other.get(399_999));
      nodes.get(1).free("big");
      assertEquals("the array \"big\" was freed", assertThrows(IllegalStateException.class, () -> words.get(399_999)).getMessage());
      assertThrows(IllegalStateException.class, () -> other.set(0, 1));
    }
  }

  @Test
  @Timeout(180)
  void shouldKeepWhatIsStoredIntoAFreedArrayOutOfTheNextOne() throws Exception {
    int length = 200_000;
    start(2, "");
    for (int round = 0; round < 20; round++) {
      String name = "old" + round;
      List<SharedLongs> old = nodes.stream().map(node -> node.longs(name, length, SharingUnit.bytes(8192))).toList();
      List<Future<Integer>> writers = new ArrayList<>();
      for (SharedLongs words : old) {
        writers.add(threads.submit(() -> {
          try {
            for (int i = 0;; i = (i + 1013) % length) {
              words.set(i, -1);
            }
          } catch (IllegalStateException freed) {
            return 1;
          }
        }));
      }
      Thread.sleep(5);
      nodes.get(round & 1).free(name);
      SharedLongs next = nodes.get(0).longs("next", length, SharingUnit.bytes(8192));
      long[] seen = new long[length];
      next.read(0, seen, 0, length);
      assertEquals(0, Arrays.stream(seen).filter(word -> word != 0).count());
      for (Future<Integer> writer : writers) {
        assertEquals(1, writer.get());
      }
      next.read(0, seen, 0, length);
      assertEquals(0, Arrays.stream(seen).filter(word -> word != 0).count());
      nodes.get(1).free("next");
    }
  }
}
