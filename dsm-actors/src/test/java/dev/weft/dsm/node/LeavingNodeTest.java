package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node of four leaves while others work, in real time, or the first one is lost: nothing is lost that was given away, and new objects can be made. */
@Tag("actor")
@Timeout(180)
class LeavingNodeTest {
  private static final int NODES = FourNodes.NODES;
  private static final int WORDS = FourNodes.WORDS;

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

  private void writeAll(int node) {
    for (int word = 0; word < WORDS; word++) {
      words(node).set(word, word + 1);
    }
  }

  @Test
  void shouldKeepWhatOnlyALeavingNodeHad() {
    writeAll(3);
    nodes.get(3).leave();
    four.assertMembers(0, List.of(0, 1, 2));
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(word % 3).get(word));
      words((word + 1) % 3).set(word, -word);
      assertEquals(-word, words((word + 2) % 3).get(word));
    }
    assertEquals(0, nodes.stream().limit(3).mapToInt(node -> node.inspect().lostMinipages()).sum());
  }

  /** As a thread of an executor is behind {@code shutdownNow}, which leaves the block that closes its node. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldGiveAllAwayAlsoWhereTheThreadIsInterrupted(boolean closes) {
    writeAll(3);
    Thread.currentThread().interrupt();
    if (closes) {
      nodes.get(3).close();
    } else {
      nodes.get(3).leave();
    }
    assertTrue(Thread.interrupted(), "it is interrupted still");
    four.assertMembers(0, List.of(0, 1, 2));
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(word % 3).get(word));
    }
    assertEquals(0, nodes.stream().limit(3).mapToInt(node -> node.inspect().lostMinipages()).sum());
  }

  @Test
  void shouldKeepAllWhenNodesLeaveOneAfterTheOther() {
    for (int word = 0; word < WORDS; word++) {
      words(word % NODES).set(word, word + 1);
    }
    nodes.get(1).leave();
    nodes.getFirst().leave();
    nodes.get(3).leave();
    four.assertMembers(2, List.of(2));
    SharedLongs left = words(2);
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, left.get(word));
    }
  }

  @Test
  void shouldKeepWhatOnlyTwoNodesHadThatLeaveAtOnce() throws Exception {
    writeAll(2);
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(3).get(word)); // Both have all, so each of them asks for all.
    }
    CompletableFuture<Void> one = CompletableFuture.runAsync(nodes.get(2)::leave, OwnThread::run);
    CompletableFuture<Void> other = CompletableFuture.runAsync(nodes.get(3)::leave, OwnThread::run);
    one.get(90, TimeUnit.SECONDS);
    other.get(90, TimeUnit.SECONDS);
    four.assertMembers(0, List.of(0, 1));
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(word % 2).get(word));
    }
    assertEquals(0, nodes.get(0).inspect().lostMinipages() + nodes.get(1).inspect().lostMinipages());
  }

  @Test
  void shouldServeThreadsThatWriteWhileANodeLeaves() throws Exception {
    List<CompletableFuture<Void>> adding = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      SharedLongs words = words(node);
      adding.add(CompletableFuture.runAsync(() -> {
        for (int i = 0; i < 3_000; i++) {
          words.getAndAdd(i % WORDS, 1);
        }
      }, OwnThread::run));
    }
    for (int i = 0; i < 400; i++) {
      words(3).getAndAdd(i % WORDS, 1);
    }
    nodes.get(3).leave();
    for (CompletableFuture<Void> each : adding) {
      each.get(90, TimeUnit.SECONDS);
    }
    long sum = 0;
    for (int word = 0; word < WORDS; word++) {
      sum += words(0).get(word);
    }
    assertEquals(9_400, sum);
  }

  @Test
  void shouldRefuseToLeaveWithALockAndStayAMember() {
    DsmLock lock = nodes.get(3).lock("lock");
    lock.acquire();
    String why = assertThrows(IllegalStateException.class, nodes.get(3)::leave).getMessage();
    assertTrue(why.contains("[lock]; release them first"), why);
    words(3).set(5, 6);
    lock.release();
    nodes.get(3).leave();
    assertEquals(6, words(0).get(5));
    assertThrows(IllegalStateException.class, nodes.get(3)::leave);
  }

  @Test
  void shouldGiveAllElseAwayWhenClosedWithALock() throws Exception {
    writeAll(3);
    DsmLock held = nodes.get(3).lock("held");
    held.acquire();
    DsmLock other = nodes.get(1).lock("held");
    CompletableFuture<DsmLock.Acquired> waiting = CompletableFuture.supplyAsync(() -> {
      DsmLock.Acquired how = other.acquire();
      other.release();
      return how;
    }, OwnThread::run);
    nodes.get(3).close();
    assertEquals(DsmLock.Acquired.HOLDER_LOST, waiting.get(90, TimeUnit.SECONDS));
    assertEquals(DsmLock.Acquired.RELEASED, nodes.get(2).lock("held").acquire());
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(word % 3).get(word));
    }
  }

  @Test
  void shouldGiveAllElseAwayWhenClosedWhereThereAreArraysWithReleaseConsistency() {
    nodes.get(0).longs("released", 8, SharingUnit.whole(), Consistency.RELEASE).set(1, 2);
    writeAll(3);
    nodes.get(3).close();
    for (int word = 0; word < WORDS; word++) {
      assertEquals(word + 1, words(word % 3).get(word));
    }
    assertEquals(2, nodes.get(0).longs("released", 8, SharingUnit.whole(), Consistency.RELEASE).get(1));
  }

  @Test
  void shouldHandOnLocksOfALeavingNodeWithoutALoss() throws Exception {
    List<DsmLock> held = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      DsmLock last = nodes.get(3).lock("free" + i);
      last.acquire();
      last.release(); // The node keeps it until another one wants it.
      DsmLock lock = nodes.get(1).lock("held" + i);
      lock.acquire();
      held.add(lock);
    }
    List<CompletableFuture<DsmLock.Acquired>> waiting = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      DsmLock lock = nodes.get(2).lock("held" + i);
      waiting.add(CompletableFuture.supplyAsync(() -> {
        DsmLock.Acquired how = lock.acquire();
        lock.release();
        return how;
      }, OwnThread::run));
    }
    nodes.get(3).leave();
    held.forEach(DsmLock::release);
    for (int i = 0; i < NODES; i++) {
      assertEquals(DsmLock.Acquired.RELEASED, waiting.get(i).get(90, TimeUnit.SECONDS));
      assertEquals(DsmLock.Acquired.RELEASED, nodes.getFirst().lock("free" + i).tryAcquire(Duration.ofSeconds(30)).orElseThrow());
    }
  }

  @Test
  void shouldKeepThreadsAtBarriersAndConditionsWhoseHomeLeaves() throws Exception {
    List<CompletableFuture<Void>> atBarriers = new ArrayList<>();
    List<CompletableFuture<Void>> atConditions = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      int word = i;
      DsmBarrier barrier = nodes.get(1).barrier("barrier" + i, 2);
      DsmLock lock = nodes.get(1).lock("lock" + i);
      DsmCondition changed = nodes.get(1).condition("changed" + i, lock);
      SharedLongs theirs = words(1);
      atBarriers.add(CompletableFuture.runAsync(barrier::await, OwnThread::run));
      atConditions.add(CompletableFuture.runAsync(() -> {
        lock.acquire();
        while (theirs.get(word) == 0) {
          changed.await();
        }
        lock.release();
      }, OwnThread::run));
    }
    Thread.sleep(50);
    nodes.get(3).leave();
    assertFalse(atBarriers.stream().anyMatch(CompletableFuture::isDone));
    for (int i = 0; i < NODES; i++) {
      nodes.getFirst().barrier("barrier" + i, 2).await();
      atBarriers.get(i).get(90, TimeUnit.SECONDS);
      DsmLock lock = nodes.getFirst().lock("lock" + i);
      lock.acquire();
      words(0).set(i, 1);
      nodes.getFirst().condition("changed" + i, lock).signal();
      lock.release();
      atConditions.get(i).get(90, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldEndTheWaitsOfTheNodeThatLeaves() {
    DsmBarrier barrier = nodes.get(3).barrier("barrier", 2);
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(barrier::await, OwnThread::run);
    nodes.get(3).leave();
    assertInstanceOf(IllegalStateException.class, assertThrows(ExecutionException.class, () -> waiting.get(90, TimeUnit.SECONDS)).getCause());
  }

  @Test
  void shouldKeepAllWhenANodeIsLostWhileAnotherOneLeaves() throws Exception {
    writeAll(3);
    CompletableFuture<Void> leaving = CompletableFuture.runAsync(nodes.get(3)::leave, OwnThread::run);
    fabric.closeNode("host-2");
    leaving.get(90, TimeUnit.SECONDS);
    four.assertMembers(0, List.of(0, 1));
    int lost = nodes.get(0).inspect().lostMinipages() + nodes.get(1).inspect().lostMinipages();
    assertTrue(lost <= 2, lost + " minipages are lost"); // At most those that the lost node had just got as their home.
  }

  @Test
  void shouldFindAndMakeObjectsWhenTheFirstNodeHasLeft() {
    words(1).set(7, 8);
    nodes.getFirst().leave();
    shouldFindAndMakeObjects();
  }

  @Test
  void shouldFindAndMakeObjectsWhenTheFirstNodeIsLost() {
    words(1).set(7, 8);
    fabric.closeNode("host-0");
    shouldFindAndMakeObjects();
  }

  private void shouldFindAndMakeObjects() {
    SharedLongs before = words(2);
    assertEquals(8, before.get(7));
    SharedLongs made = nodes.get(3).longs("made", WORDS, SharingUnit.bytes(80));
    made.set(1, 2);
    assertEquals(2, nodes.get(2).longs("made", WORDS, SharingUnit.bytes(80)).get(1));
    assertEquals(8, before.get(7));
    nodes.get(1).free("words");
    SharedLongs again = words(3);
    assertEquals(0, again.get(7));
    assertEquals(2, made.get(1));
    DsmLock lock = nodes.get(2).lock("lock");
    assertEquals(DsmLock.Acquired.RELEASED, lock.acquire());
    lock.release();
    assertThrows(IllegalArgumentException.class, () -> nodes.get(2).longs("made", 7, SharingUnit.bytes(80)));
  }

  @Test
  void shouldMakeObjectsThatWereAskedForWhenTheFirstNodeWent() throws Exception {
    List<CompletableFuture<Void>> making = new ArrayList<>();
    for (int node = 1; node < NODES; node++) {
      DsmNode own = nodes.get(node);
      making.add(CompletableFuture.runAsync(() -> {
        for (int i = 0; i < 60; i++) {
          SharedLongs array = own.longs("array" + i, WORDS, SharingUnit.bytes(80));
          array.getAndAdd(i % WORDS, 1);
        }
      }, OwnThread::run));
    }
    nodes.getFirst().leave();
    for (CompletableFuture<Void> each : making) {
      each.get(90, TimeUnit.SECONDS);
    }
    for (int i = 0; i < 60; i++) {
      assertEquals(3, nodes.get(1).longs("array" + i, WORDS, SharingUnit.bytes(80)).get(i % WORDS));
    }
  }
}
