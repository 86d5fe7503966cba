package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedBytes;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays with release consistency, shared by threads of several nodes in one JVM, in real time. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ReleaseConsistencyTest {
  private static final SharingUnit WHOLE = SharingUnit.whole();

  private LocalFabric fabric;
  private final List<DsmNode> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  private void start(int count, String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false\n" + settings));
    for (int i = 0; i < count; i++) {
      join();
    }
  }

  private DsmNode join() {
    nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + nodes.size()), "test", "host-0"));
    return nodes.getLast();
  }

  private SharedLongs words(int node, String name, int length) {
    return nodes.get(node).longs(name, length, WHOLE, Consistency.RELEASE);
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
    threads.shutdownNow();
  }

  private void lose(int node) {
    fabric.closeNode("host-" + node);
    Waits.seen("the members without " + node, () -> nodes.getFirst().inspect().members(), members -> !members.contains(node));
  }

  /** Runs a body for each node at the same time. */
  private void together(int count, Body body) throws Exception {
    List<Future<?>> futures = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int node = i;
      futures.add(threads.submit((Callable<Void>) () -> {
        body.run(node, nodes.get(node));
        return null;
      }));
    }
    for (Future<?> future : futures) {
      future.get();
    }
  }

  private interface Body {
    void run(int number, DsmNode node) throws Exception;
  }

  @Test
  void shouldShowWhatWasReleased() {
    start(2, "");
    SharedLongs here = words(0, "words", 100);
    SharedLongs there = words(1, "words", 100);
    assertEquals(0, there.get(7));
    here.set(7, 5);
    here.set(99, 6);
    nodes.get(0).release();
    assertEquals(5, there.get(7));
    assertEquals(6, there.get(99));
  }

  @Test
  void shouldKeepWhatWasNotReleasedFromOthers() {
    start(2, "");
    SharedLongs here = words(0, "words", 4);
    SharedLongs there = words(1, "words", 4);
    assertEquals(0, there.get(0));
    here.set(0, 5);
    assertEquals(0, there.get(0));
    nodes.get(0).release();
    assertEquals(5, there.get(0));
  }

  @Test
  void shouldLetManyNodesWriteOneMinipageAtATime() throws Exception {
    start(3, "");
    together(3, (number, node) -> {
      SharedLongs words = node.longs("words", 300, WHOLE, Consistency.RELEASE);
      DsmBarrier barrier = node.barrier("barrier", 3);
      for (int round = 1; round <= 20; round++) {
        for (int i = number; i < 300; i += 3) {
          words.set(i, round * 1000L + i);
        }
        barrier.await();
        for (int i = 0; i < 300; i++) {
          assertEquals(round * 1000L + i, words.get(i));
        }
        barrier.await();
      }
    });
    assertTrue(nodes.get(0).releaseCounts().batches() > 0);
    assertTrue(nodes.get(0).inspect().writeFaults() < 100, "a node took the minipage from others");
  }

  /** Neighbours in one word of 8 bytes. */
  @Test
  void shouldKeepNeighboursApartThatAreShorterThanAWord() throws Exception {
    start(3, "");
    together(3, (number, node) -> {
      SharedInts ints = node.ints("ints", 30, WHOLE, Consistency.RELEASE);
      SharedBytes bytes = node.bytes("bytes", 31, WHOLE, Consistency.RELEASE);
      DsmBarrier barrier = node.barrier("barrier", 3);
      for (int round = 1; round <= 20; round++) {
        for (int i = number; i < 30; i += 3) {
          ints.set(i, -round * 100 - i);
          bytes.set(i, (byte) (round + i));
        }
        barrier.await();
        for (int i = 0; i < 30; i++) {
          assertEquals(-round * 100 - i, ints.get(i));
          assertEquals((byte) (round + i), bytes.get(i));
        }
        barrier.await();
      }
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"weft.dsm.context = isr", "weft.dsm.context = polling", "weft.dsm.engine = synchronous", "weft.dsm.release.twins = 4 KiB"})
  void shouldLoseNoAdditionUnderALock(String settings) throws Exception {
    start(4, settings);
    together(4, (number, node) -> {
      SharedLongs counters = node.longs("counters", 4000, SharingUnit.bytes(4000), Consistency.RELEASE);
      DsmLock[] locks = {node.lock("a"), node.lock("b"), node.lock("c")};
      DsmBarrier barrier = node.barrier("barrier", 4);
      for (int i = 0; i < 150; i++) {
        int which = (i + number) % 3;
        locks[which].acquire();
        for (int at = which; at < 4000; at += 500) { // Of several minipages.
          counters.set(at, counters.get(at) + 1);
        }
        locks[which].release();
      }
      barrier.await();
      for (int which = 0; which < 3; which++) {
        assertEquals(200, counters.get(which));
        assertEquals(200, counters.get(which + 3500));
      }
      barrier.await();
    });
  }

  @Test
  void shouldShowWhoIsSignaledWhatWasWritten() throws Exception {
    start(2, "");
    together(2, (number, node) -> {
      SharedLongs turn = node.longs("turn", 1, WHOLE, Consistency.RELEASE);
      DsmLock lock = node.lock("lock");
      DsmCondition condition = node.condition("condition", lock);
      for (int i = 0; i < 100; i++) {
        lock.acquire();
        while (turn.get(0) % 2 != number) {
          condition.await();
        }
        turn.set(0, turn.get(0) + 1);
        condition.signal();
        lock.release();
      }
    });
    nodes.get(0).lock("lock").acquire(); // It may have stayed at the other node, with what was written.
    assertEquals(200, words(0, "turn", 1).get(0));
  }

  /** An update of nothing cannot be, and who sends one would count as lost: in most runs one came. */
  @Test
  void shouldSendNothingOfWhatAThreadPutsBackWhileItIsCompared() throws Exception {
    start(2, "");
    SharedLongs here = words(0, "words", 512);
    assertEquals(0, words(1, "words", 512).get(0));
    AtomicBoolean isOver = new AtomicBoolean();
    Future<?> writer = threads.submit(() -> {
      while (!isOver.get()) {
        for (int i = 0; i < 512; i++) {
          here.set(i, 1);
          here.set(i, 0);
        }
      }
    });
    for (int i = 0; i < 200_000; i++) {
      nodes.getFirst().release();
    }
    isOver.set(true);
    writer.get(90, TimeUnit.SECONDS);
    assertEquals(List.of(0, 1), nodes.getFirst().inspect().members());
    assertEquals(List.of(0, 1), nodes.getLast().inspect().members());
  }

  /** While others write: the copy that it gets misses nothing. */
  @Test
  void shouldMissNothingWhenANodeComesLate() throws Exception {
    start(2, "");
    words(0, "words", 2000).set(5, 77);
    nodes.get(0).release();
    Future<?> writers = threads.submit((Callable<Void>) () -> {
      together(2, (number, node) -> {
        SharedLongs words = node.longs("words", 2000, WHOLE, Consistency.RELEASE);
        for (int round = 1; round <= 100; round++) {
          for (int i = 10 + number; i < 2000; i += 20) {
            words.set(i, round);
          }
          node.release();
        }
      });
      return null;
    });
    List<SharedLongs> late = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      SharedLongs words = join().longs("words", 2000, WHOLE, Consistency.RELEASE);
      assertEquals(77, words.get(5));
      late.add(words);
    }
    writers.get();
    for (SharedLongs words : late) {
      for (int i = 10; i < 2000; i++) {
        assertEquals(i % 20 == 10 || i % 20 == 11 ? 100 : 0, words.get(i), "word " + i);
      }
    }
  }

  @Test
  void shouldNotWaitForALostNode() throws Exception {
    start(3, "");
    for (int i = 0; i < 3; i++) {
      assertEquals(0, words(i, "words", 10).get(i));
    }
    words(1, "words", 10).set(1, 5); // Not released: gone with its node.
    nodes.get(1).lock("lock").acquire();
    lose(1);
    SharedLongs words = words(0, "words", 10);
    words.set(0, 9);
    nodes.get(0).release();
    assertEquals(9, words(2, "words", 10).get(0));
    assertEquals(0, words.get(1));
    assertEquals(DsmLock.Acquired.HOLDER_LOST, nodes.get(2).lock("lock").acquire());
  }

  @Test
  void shouldTellWhereAllCopiesWereOnALostNode() {
    start(2, "weft.dsm.home-nodes = [host-1]");
    words(1, "words", 10).set(1, 5);
    SharedLongs words = words(0, "words", 10);
    nodes.get(0).lock("lock");
    lose(1);
    NodeLostException lost = assertThrows(NodeLostException.class, () -> words.get(1));
    assertTrue(lost.getMessage().contains("all copies of minipage 0 of \"words\""), lost.getMessage());
  }

  @Test
  void shouldRefuseWhatItCannotKeep() {
    start(2, "");
    SharedLongs words = words(0, "words", 10);
    assertThrows(UnsupportedOperationException.class, () -> words.getAndAdd(0, 1));
    assertThrows(UnsupportedOperationException.class, () -> words.compareAndSet(0, 0, 1));
    IllegalArgumentException other = assertThrows(IllegalArgumentException.class, () -> nodes.get(1).longs("words", 10, WHOLE));
    assertTrue(other.getMessage().contains("with release consistency, and was asked for as"), other.getMessage());
  }

  @Test
  void shouldGiveAnArrayBack() {
    start(2, "");
    words(0, "words", 1000).set(3, 3);
    SharedLongs there = words(1, "words", 1000);
    assertEquals(0, there.get(4));
    nodes.get(0).free("words");
    assertThrows(IllegalStateException.class, () -> there.get(4));
    assertEquals(0, words(1, "words", 1000).get(3));
    assertEquals(0, nodes.get(0).releaseCounts().twins());
  }
}
