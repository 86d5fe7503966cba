package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.fabric.rules.OwnThread;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that join a space whose first node, which they are told to ask, is gone; in real time. */
@Tag("actor")
@Timeout(180)
class LateJoinTest {
  private static final int WORDS = 60;

  private final List<DsmNode> nodes = new ArrayList<>();
  private LocalFabric fabric;

  String engine() {
    return "request";
  }

  String home() {
    return "fixed";
  }

  boolean homesMove() {
    return true;
  }

  @BeforeEach
  void start() {
    fabric = LocalFabric.start(ConfigFactory.parseString(
        "weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false\nweft.dsm.join-timeout = 30s\nweft.dsm.engine = " + engine()
            + "\nweft.dsm.home = " + home()));
    for (int i = 0; i < 3; i++) {
      nodes.add(join("host-" + i));
    }
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
  }

  private DsmNode join(String name) {
    return DsmNode.join(fabric, fabric.addNode(name), "test", "host-0");
  }

  private static SharedLongs words(DsmNode node) {
    return node.longs("words", WORDS, SharingUnit.elements(10));
  }

  private static void awaitMembers(DsmNode node, List<Integer> members) throws InterruptedException {
    while (!node.inspect().members().equals(members)) { // The time limit is the test's.
      Thread.sleep(2);
    }
  }

  /** The newcomer finds what there is, and others find what it does. */
  private void shouldTakePart(DsmNode late, DsmNode other) throws Exception {
    SharedLongs here = words(late);
    SharedLongs there = words(other);
    for (int i = 0; i < WORDS; i += 10) {
      if (!homesMove() && !late.inspect().members().contains(late.homeOf("words", i / 10))) {
        continue;
      }
      assertEquals(100 + i, here.get(i));
      here.set(i, 200 + i);
      assertEquals(200 + i, there.get(i));
      there.set(i, 100 + i);
    }
    DsmLock lock = late.lock("lock");
    assertEquals(DsmLock.Acquired.RELEASED, lock.acquire());
    CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
      other.lock("lock").acquire();
      other.lock("lock").release();
    }, OwnThread::run);
    lock.release();
    waiting.get(90, TimeUnit.SECONDS);
    DsmBarrier barrier = late.barrier("barrier", 2);
    CompletableFuture<Void> arrived = CompletableFuture.runAsync(() -> other.barrier("barrier", 2).await(), OwnThread::run);
    barrier.await();
    arrived.get(90, TimeUnit.SECONDS);
    SharedLongs made = late.longs("made-" + late.node(), 8, SharingUnit.whole());
    made.set(0, late.node());
    assertEquals(late.node(), other.longs("made-" + late.node(), 8, SharingUnit.whole()).get(0));
  }

  private void fill(DsmNode node) {
    for (int i = 0; i < WORDS; i += 10) {
      words(node).set(i, 100 + i);
    }
  }

  @Test
  void shouldJoinWhenTheFirstNodeIsLost() throws Exception {
    fill(nodes.get(1));
    fabric.closeNode("host-0");
    DsmNode late = join("late");
    nodes.add(late);
    assertEquals(3, late.node());
    awaitMembers(late, List.of(1, 2, 3));
    shouldTakePart(late, nodes.get(2));
    DsmNode later = join("later");
    nodes.add(later);
    assertEquals(4, later.node());
    shouldTakePart(later, late);
  }

  @Test
  void shouldGiveNoNumberTwiceWhenSeveralNodesAreLost() throws Exception {
    fill(nodes.get(2));
    DsmNode gone = join("gone");
    nodes.add(gone);
    assertEquals(3, gone.node());
    fabric.closeNode("gone");
    awaitMembers(nodes.get(2), List.of(0, 1, 2));
    fabric.closeNode("host-0");
    fabric.closeNode("host-1");
    awaitMembers(nodes.get(2), List.of(2));
    DsmNode late = join("late");
    nodes.add(late);
    assertEquals(4, late.node());
    shouldTakePart(late, nodes.get(2));
  }

  /** The first node is lost at some moment while others join. */
  @Test
  void shouldJoinWhileTheFirstNodeIsBeingLost() throws Exception {
    fill(nodes.get(1));
    List<CompletableFuture<DsmNode>> joining = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String name = "late-" + i;
      joining.add(CompletableFuture.supplyAsync(() -> join(name), OwnThread::run));
    }
    Thread.sleep(5);
    fabric.closeNode("host-0");
    Set<Integer> numbers = new HashSet<>(List.of(1, 2));
    for (CompletableFuture<DsmNode> each : joining) {
      DsmNode late = each.get(90, TimeUnit.SECONDS);
      nodes.add(late);
      assertNotEquals(0, late.node());
      assertTrue(numbers.add(late.node()), () -> "two nodes have number " + late.node());
    }
    awaitMembers(nodes.get(1), numbers.stream().sorted().toList());
    shouldTakePart(nodes.getLast(), nodes.get(2));
  }

  @Test
  void shouldSayThatItWasInterruptedAndJoinLater() {
    Node node = fabric.addNode("late");
    Thread.currentThread().interrupt();
    String why = assertThrows(IllegalStateException.class, () -> DsmNode.join(fabric, node, "test", "host-0")).getMessage();
    assertTrue(Thread.interrupted());
    assertEquals("interrupted while node late was joining shared memory test", why);
    nodes.add(DsmNode.join(fabric, node, "test", "host-0"));
    assertTrue(nodes.getLast().node() >= 3);
  }

  /** At any moment: the thread is a member then and still interrupted, or is told; what it had is given back. */
  @Test
  void shouldBeAMemberOrSayThatItWasInterruptedWhileItJoined() throws Exception {
    fill(nodes.get(1));
    for (int i = 0; i < 12; i++) {
      Node node = fabric.addNode("late-" + i);
      Thread joining = Thread.currentThread();
      int busyUs = 500 * i;
      CompletableFuture<Void> interrupts = CompletableFuture.runAsync(() -> {
        LockSupport.parkNanos(busyUs * 1_000L);
        joining.interrupt();
      }, OwnThread::run);
      try {
        nodes.add(DsmNode.join(fabric, node, "test", "host-0"));
        awaitInterrupt(interrupts);
      } catch (IllegalStateException told) {
        awaitInterrupt(interrupts);
        assertEquals("interrupted while node late-" + i + " was joining shared memory test", told.getMessage());
        nodes.add(DsmNode.join(fabric, node, "test", "host-0"));
      }
    }
    shouldTakePart(nodes.getLast(), nodes.getFirst());
  }

  private static void awaitInterrupt(CompletableFuture<Void> interrupts) {
    while (!interrupts.isDone()) { // The time limit is the test's.
      Thread.onSpinWait();
    }
    assertTrue(Thread.interrupted());
  }
}
