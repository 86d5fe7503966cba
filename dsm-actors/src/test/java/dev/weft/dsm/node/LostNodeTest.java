package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node of three goes away, in real time, while others use what it had; and threads that do not wait any more. */
@Tag("actor")
class LostNodeTest {
  private static final int WORDS = 30;

  private final List<DsmNode> nodes = new ArrayList<>();
  private LocalFabric fabric;

  String engine() {
    return "request";
  }

  @BeforeEach
  void start() {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false\nweft.dsm.home = centralized\nweft.dsm.engine = "
        + engine()));
    for (int i = 0; i < 3; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
  }

  private SharedLongs words(int node) {
    return nodes.get(node).longs("words", WORDS, SharingUnit.bytes(80)); // Ten words each.
  }

  private void lose(int node) {
    fabric.closeNode("host-" + node);
    Waits.seen("the members 0 and 1", () -> nodes.getFirst().inspect().members(), List.of(0, 1)::equals);
  }

  @Test
  void shouldLoseWhatOnlyTheLostNodeHadAndKeepTheRest() {
    words(2).set(0, 1);
    words(2).set(10, 2);
    assertEquals(2, words(1).get(10));
    words(1).set(20, 3);
    SharedLongs survivor = words(0);
    lose(2);
    assertEquals("the only copy of elements 0 to 9 of \"words\" was on a node that is lost",
        assertThrows(NodeLostException.class, () -> survivor.get(5)).getMessage());
    assertThrows(NodeLostException.class, () -> survivor.set(0, 7));
    assertEquals(2, survivor.get(10));
    survivor.set(10, 4);
    assertEquals(4, words(1).get(10));
    assertEquals(3, survivor.get(20));
    assertEquals(1, nodes.getFirst().inspect().lostMinipages());
  }

  /** It has never heard of the lost one. */
  @Test
  void shouldTellANodeThatComesLaterWhatIsLost() {
    words(2).set(0, 1);
    words(2).set(10, 2);
    assertEquals(2, words(1).get(10));
    words(1).set(20, 3);
    assertEquals(3, words(2).get(20));
    lose(2);
    nodes.add(DsmNode.join(fabric, fabric.addNode("host-3"), "test", "host-0"));
    SharedLongs late = words(3);
    assertThrows(NodeLostException.class, () -> late.get(5));
    assertEquals(2, late.get(10));
    assertEquals(3, late.get(20));
    late.set(10, 4);
    late.set(20, 5);
    assertEquals(4, words(1).get(10));
    assertEquals(5, words(0).get(20));
  }

  @Test
  void shouldHandALockOnAndSayThatItsHolderIsLost() throws Exception {
    DsmLock there = nodes.get(2).lock("lock");
    there.acquire();
    DsmLock here = nodes.get(1).lock("lock");
    CompletableFuture<DsmLock.Acquired> waiting = CompletableFuture.supplyAsync(() -> {
      DsmLock.Acquired how = here.acquire();
      here.release();
      return how;
    }, OwnThread::run);
    lose(2);
    assertEquals(DsmLock.Acquired.HOLDER_LOST, waiting.get(90, TimeUnit.SECONDS));
    assertEquals(DsmLock.Acquired.RELEASED, nodes.getFirst().lock("lock").acquire());
    nodes.getFirst().lock("lock").release();
  }

  @Test
  void shouldWakeWhoWaitsAtABarrierThatCannotBeReached() {
    DsmBarrier barrier = nodes.get(1).barrier("barrier", 2);
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(barrier::await, OwnThread::run);
    lose(2);
    assertInstanceOf(NodeLostException.class,
        assertThrows(ExecutionException.class, () -> waiting.get(90, TimeUnit.SECONDS)).getCause());
    assertThrows(NodeLostException.class, barrier::await);
  }

  @Test
  void shouldEndTheWaitsOfANodeThatIsClosed() throws Exception {
    DsmLock lock = nodes.get(1).lock("lock");
    lock.acquire();
    DsmNode leaving = nodes.get(2);
    DsmLock theirs = leaving.lock("lock");
    SharedLongs words = words(2);
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
      started.countDown();
      theirs.acquire();
    }, OwnThread::run);
    assertTrue(started.await(90, TimeUnit.SECONDS));
    leaving.close();
    assertInstanceOf(IllegalStateException.class,
        assertThrows(ExecutionException.class, () -> waiting.get(90, TimeUnit.SECONDS)).getCause());
    assertThrows(IllegalStateException.class, () -> words.get(3));
    assertThrows(IllegalStateException.class, () -> leaving.lock("lock"));
    lock.release();
  }

  @Test
  void shouldNotGiveALockToAThreadThatWasInterrupted() throws Exception {
    DsmLock lock = nodes.get(1).lock("lock");
    lock.acquire();
    DsmLock theirs = nodes.get(2).lock("lock");
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread waiting = Thread.ofPlatform().start(() -> {
      try {
        theirs.acquire();
        ended.complete("it has the lock");
      } catch (IllegalStateException interrupted) {
        ended.complete(Thread.currentThread().isInterrupted() ? interrupted.getMessage() : "it does not know that it was interrupted");
      }
    });
    waiting.interrupt();
    assertEquals("interrupted while it waited in shared memory", ended.get(90, TimeUnit.SECONDS));
    lock.release();
    assertTrue(theirs.tryAcquire(Duration.ofSeconds(30)).isPresent());
    theirs.release();
  }

  /** The homes of eight conditions are all nodes. */
  @Test
  void shouldSignalAnotherThreadThanOneThatWasInterrupted() throws Exception {
    for (int i = 0; i < 8; i++) {
      String name = "condition-" + i;
      DsmLock lock = nodes.get(1).lock("lock-" + i);
      DsmCondition changed = nodes.get(1).condition(name, lock);
      lock.acquire();
      Thread.currentThread().interrupt();
      assertThrows(IllegalStateException.class, changed::await);
      assertTrue(Thread.interrupted());
      DsmLock theirs = nodes.get(2).lock("lock-" + i);
      CountDownLatch has = new CountDownLatch(1);
      CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
        DsmCondition theirChange = nodes.get(2).condition(name, theirs);
        theirs.acquire();
        has.countDown();
        theirChange.await();
        theirs.release();
      }, OwnThread::run);
      lock.release();
      assertTrue(has.await(90, TimeUnit.SECONDS));
      lock.acquire(); // The other one waits now.
      changed.signal();
      lock.release();
      waiting.get(90, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldHaveTheLockAgainAlsoWhereTheThreadIsInterruptedWhileItWaitsForThat() throws Exception {
    DsmLock lock = nodes.get(1).lock("lock");
    DsmCondition changed = nodes.get(1).condition("changed", lock);
    DsmLock theirs = nodes.get(2).lock("lock");
    DsmCondition theirChange = nodes.get(2).condition("changed", theirs);
    CountDownLatch has = new CountDownLatch(1);
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    Thread waiting = Thread.ofPlatform().daemon().start(() -> {
      try {
        theirs.acquire();
        has.countDown();
        try {
          theirChange.await();
        } catch (IllegalStateException interrupted) {
          // Where it waited for the signal still.
        }
        theirs.release();
        ended.complete(Thread.interrupted());
      } catch (Throwable failed) {
        ended.completeExceptionally(failed);
      }
    });
    assertTrue(has.await(90, TimeUnit.SECONDS));
    lock.acquire();
    changed.signal();
    for (int i = 0; i < 10; i++) {
      Thread.sleep(20);
      waiting.interrupt();
    }
    assertFalse(ended.isDone(), "another thread has the lock");
    lock.release();
    assertTrue(ended.get(90, TimeUnit.SECONDS), "it is interrupted still");
  }

  @Test
  void shouldRefuseAThreadTooMany() throws Exception {
    try (LocalFabric small = LocalFabric.start(
        ConfigFactory.parseString("weft.dsm.memory = 64 KiB\nweft.hca.pin-memory = false\nweft.dsm.threads-max = 2"));
        DsmNode node = DsmNode.join(small, small.addNode("host"), "small", "host")) {
      SharedLongs word = node.longs("word", 1, SharingUnit.whole());
      CountDownLatch done = new CountDownLatch(1);
      CountDownLatch both = new CountDownLatch(2);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        threads.add(Thread.ofPlatform().daemon().start(() -> {
          word.set(0, 1);
          both.countDown();
          try {
            done.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        }));
      }
      assertTrue(both.await(90, TimeUnit.SECONDS));
      String refused = assertThrows(IllegalStateException.class, () -> word.set(0, 2)).getMessage();
      assertTrue(refused.contains("weft.dsm.threads-max = 2"), refused);
      done.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      word.set(0, 3); // Those that have ended make room.
      assertEquals(3, word.get(0));
    }
  }

  private static long descend(SharedLongs words, int depth) {
    words.getAndAdd(depth % WORDS, 1);
    return descend(words, depth + 1) + 1;
  }

  /** What it has announced must not stay: others would wait for it for ever. */
  @Test
  void shouldGoOnAfterAThreadHasUsedUpItsStackWithinAnAccess() {
    SharedLongs words = words(1);
    SharedLongs others = words(2);
    CountDownLatch done = new CountDownLatch(1);
    CompletableFuture<Void> taking = CompletableFuture.runAsync(() -> {
      for (int i = 0; done.getCount() > 0; i++) {
        others.getAndAdd(i % WORDS, 1);
      }
    }, OwnThread::run);
    for (int i = 0; i < 3; i++) {
      assertThrows(StackOverflowError.class, () -> descend(words, 0));
    }
    done.countDown();
    taking.join();
    for (int i = 0; i < WORDS; i++) {
      others.set(i, i);
      assertEquals(i, words.get(i));
    }
  }
}
