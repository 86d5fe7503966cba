package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedLongs;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.hca.node.LocalFabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Others take the place of a node of four that was the home of minipages, locks, barriers and conditions, in real time. */
@Tag("actor")
@Timeout(240)
class LostHomeTest {
  private static final int NODES = FourNodes.NODES;

  private FourNodes four;
  private LocalFabric fabric;
  private List<DsmNode> nodes;

  String engine() {
    return "request";
  }

  String home() {
    return "fixed";
  }

  @BeforeEach
  void start() {
    four = new FourNodes(engine(), home());
    fabric = four.fabric;
    nodes = four.nodes();
  }

  @AfterEach
  void close() {
    four.close();
  }

  private SharedLongs words(int node) {
    return four.words(node);
  }

  private void lose(int node, List<Integer> left) {
    fabric.closeNode("host-" + node);
    four.assertMembers(0, left);
  }

  @Test
  void shouldServeWhatALostNodeWasTheHomeOf() {
    words(1).set(30, 1); // Node 1 may write it, and its home is node 3.
    words(0).set(31, 2);
    assertEquals(1, words(1).get(30));
    lose(3, List.of(0, 1, 2));
    assertEquals(1, words(2).get(30));
    assertEquals(2, words(2).get(31));
    for (int round = 0; round < 50; round++) {
      for (int node = 0; node < 3; node++) {
        words(node).set(30, 10L * round + node);
        assertEquals(10L * round + node, words((node + 1) % 3).get(30));
      }
    }
  }

  @Test
  void shouldGoOnWithoutTheFirstNode() {
    SharedLongs words = words(1);
    words(0).set(0, 5);
    assertEquals(5, words.get(0));
    fabric.closeNode("host-3");
    fabric.closeNode("host-2");
    fabric.closeNode("host-0");
    four.assertMembers(1, List.of(1));
    assertEquals(5, words.get(0));
    words.set(0, 6);
    assertEquals(6, words.get(0));
  }

  @Test
  void shouldTellWhatOnlyTheLostHomeHad() {
    words(3).set(30, 1);
    words(3).set(20, 2);
    assertEquals(2, words(1).get(20));
    lose(3, List.of(0, 1, 2));
    assertThrows(NodeLostException.class, () -> words(0).get(35));
    assertEquals(2, words(0).get(20));
  }

  @Test
  void shouldServeWhatHasLostTwoHomes() {
    words(0).set(30, 7);
    words(0).set(20, 8);
    lose(2, List.of(0, 1, 3));
    assertEquals(8, words(1).get(20));
    words(1).set(20, 9);
    lose(3, List.of(0, 1));
    assertEquals(9, words(0).get(20));
    assertEquals(7, words(1).get(30));
    words(1).set(30, 6);
    assertEquals(6, words(0).get(30));
  }

  @Test
  void shouldServeThreadsThatWriteWhenAHomeIsLost() throws Exception {
    List<CompletableFuture<Long>> adding = new ArrayList<>();
    words(0).set(35, 0);
    for (int node = 0; node < 3; node++) {
      SharedLongs words = words(node);
      adding.add(CompletableFuture.supplyAsync(() -> {
        long done = 0;
        try {
          for (; done < 3_000; done++) {
            words.getAndAdd(35, 1);
          }
        } catch (NodeLostException lost) {
          return -done;
        }
        return done;
      }, OwnThread::run));
    }
    Thread.sleep(20);
    lose(3, List.of(0, 1, 2)); // It is the home only: no word is on it.
    for (CompletableFuture<Long> each : adding) {
      assertEquals(3_000, each.get(60, TimeUnit.SECONDS));
    }
    assertEquals(9_000, words(1).get(35));
  }

  @Test
  void shouldHandLocksOnWhoseHomeIsLost() throws Exception {
    List<DsmLock> held = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      DsmLock lock = nodes.get(1).lock("lock" + i);
      lock.acquire();
      held.add(lock);
    }
    List<CompletableFuture<DsmLock.Acquired>> waiting = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      DsmLock lock = nodes.get(2).lock("lock" + i);
      waiting.add(CompletableFuture.supplyAsync(() -> {
        DsmLock.Acquired how = lock.acquire();
        lock.release();
        return how;
      }, OwnThread::run));
    }
    lose(3, List.of(0, 1, 2));
    held.forEach(DsmLock::release);
    for (CompletableFuture<DsmLock.Acquired> each : waiting) {
      assertEquals(DsmLock.Acquired.RELEASED, each.get(90, TimeUnit.SECONDS));
    }
  }

  /** The lost home may have known that a lost node had it. */
  @Test
  void shouldSayThatTheHolderMayBeLostWhereNobodyHasTheLock() {
    List<DsmLock> locks = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      locks.add(nodes.getFirst().lock("lock" + i));
      nodes.get(3).lock("lock" + i).acquire();
    }
    lose(3, List.of(0, 1, 2));
    for (DsmLock lock : locks) {
      assertEquals(DsmLock.Acquired.HOLDER_LOST, lock.tryAcquire(Duration.ofSeconds(30)).orElseThrow());
      lock.release();
      assertEquals(DsmLock.Acquired.RELEASED, lock.acquire());
      lock.release();
    }
  }

  @Test
  void shouldWakeWhoWaitsForAConditionWhoseHomeIsLost() throws Exception {
    SharedLongs words = words(0);
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      int word = i;
      DsmLock lock = nodes.get(1).lock("lock" + i);
      DsmCondition changed = nodes.get(1).condition("changed" + i, lock);
      SharedLongs theirs = words(1);
      waiting.add(CompletableFuture.runAsync(() -> {
        lock.acquire();
        while (theirs.get(word) == 0) {
          changed.await();
        }
        lock.release();
      }, OwnThread::run));
    }
    Thread.sleep(50);
    lose(3, List.of(0, 1, 2));
    for (int i = 0; i < NODES; i++) {
      DsmLock lock = nodes.getFirst().lock("lock" + i);
      lock.acquire();
      words.set(i, 1);
      nodes.getFirst().condition("changed" + i, lock).signal();
      lock.release();
    }
    for (CompletableFuture<Void> each : waiting) {
      each.get(90, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldBreakBarriersWhoseHomeIsLost() {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    List<DsmBarrier> barriers = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      DsmBarrier barrier = nodes.get(1).barrier("barrier" + i, 2);
      barriers.add(barrier);
      waiting.add(CompletableFuture.runAsync(barrier::await, OwnThread::run));
    }
    lose(3, List.of(0, 1, 2));
    for (CompletableFuture<Void> each : waiting) {
      assertInstanceOf(NodeLostException.class, assertThrows(ExecutionException.class, () -> each.get(90, TimeUnit.SECONDS)).getCause());
    }
    barriers.forEach(barrier -> assertThrows(NodeLostException.class, barrier::await));
  }
}
