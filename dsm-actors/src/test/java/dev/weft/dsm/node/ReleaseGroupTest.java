package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.release.ReleaseCounts;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of arrays with release consistency that go to the multicast group of the space, in one JVM, in real time. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ReleaseGroupTest {
  private static final int WORDS = 512;

  private LocalFabric fabric;
  private final List<Node> hosts = new ArrayList<>();
  private final List<DsmNode> nodes = new ArrayList<>();
  private final List<SharedLongs> words = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());

  /** So many nodes, of which each of which has a copy. */
  private void start(int count, String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString(
        settings + "\nweft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false\nweft.dsm.release.multicast.enabled = on"));
    DsmSettings ofAll = DsmSettings.from(fabric.config());
    for (int i = 0; i < count; i++) {
      join(ofAll);
    }
  }

  private void join(DsmSettings settings) {
    hosts.add(fabric.addNode("host-" + nodes.size()));
    nodes.add(DsmNode.join(fabric, hosts.getLast(), "test", "host-0", settings));
    words.add(nodes.getLast().longs("words", WORDS, SharingUnit.pages(1), Consistency.RELEASE));
    assertEquals(0, words.getLast().get(WORDS - 1));
  }

  /** All are in the group, and know of each other. */
  private void awaitGroup() {
    await(() -> nodes.getFirst().inspect().group().startsWith("group ") && isSentByGroup());
  }

  private void await(BooleanSupplier until) {
    long endNs = System.nanoTime() + 90_000_000_000L;
    while (!until.getAsBoolean()) {
      assertTrue(System.nanoTime() < endNs, () -> nodes.stream().map(DsmNode::inspect).toList().toString());
      LockSupport.parkNanos(1_000_000);
    }
  }

  private boolean isSentByGroup() {
    ReleaseCounts before = nodes.getFirst().releaseCounts();
    words.getFirst().set(0, words.getFirst().get(0) + 1);
    ReleaseCounts after = nodes.getFirst().releaseCounts();
    return after.multicasts() == before.multicasts() + 1;
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
    threads.shutdownNow();
  }

  private interface Body {
    void run(int number, DsmNode node) throws Exception;
  }

  private void together(Body body) throws Exception {
    List<Future<?>> futures = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
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

  private ReleaseCounts counts(int node) {
    return nodes.get(node).inspect().release();
  }

  @Test
  void shouldSendEachBatchOnceWhereThreeOthersHaveCopies() {
    start(4, "");
    awaitGroup();
    ReleaseCounts before = counts(1);
    for (int i = 1; i <= 100; i++) {
      words.get(1).set(7, i);
      nodes.get(1).release();
      for (SharedLongs each : words) {
        assertEquals(i, each.get(7));
      }
    }
    ReleaseCounts after = counts(1);
    assertTrue(after.multicasts() - before.multicasts() >= 100, after.toString());
    assertEquals(after.batches() - before.batches(), after.multicasts() - before.multicasts(), "nothing on the connections");
    assertTrue(counts(2).datagramsPlaced() + counts(2).datagramsDropped() > 0);
    assertTrue(after.repairs() < 50, after.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"weft.dsm.context = isr", "weft.dsm.context = polling", "weft.dsm.context = process", "weft.dsm.engine = synchronous",
      "weft.dsm.release.multicast.buffers = 8", "weft.dsm.release.multicast.wait = 10 us", "weft.hca.path-mtu-max = 256"})
  void shouldLoseNoAdditionUnderALock(String settings) throws Exception {
    start(4, settings);
    awaitGroup();
    together((number, node) -> {
      SharedLongs counters = node.longs("counters", 4000, SharingUnit.bytes(4000), Consistency.RELEASE);
      DsmLock[] locks = {node.lock("a"), node.lock("b"), node.lock("c")};
      DsmBarrier barrier = node.barrier("barrier", 4);
      for (int i = 0; i < 150; i++) {
        int which = (i + number) % 3;
        locks[which].acquire();
        for (int at = which; at < 4000; at += 500) {
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
    assertTrue(nodes.stream().skip(1).mapToLong(node -> node.releaseCounts().datagramsSent()).sum() > 0);
  }

  @Test
  void shouldLetManyNodesWriteOneMinipageAtATime() throws Exception {
    start(3, "");
    awaitGroup();
    together((number, node) -> {
      SharedLongs shared = node.longs("shared", 3000, SharingUnit.whole(), Consistency.RELEASE);
      DsmBarrier barrier = node.barrier("barrier", 3);
      for (int round = 1; round <= 30; round++) {
        for (int i = number; i < 3000; i += 3) {
          shared.set(i, round * 10_000L + i);
        }
        barrier.await();
        for (int i = 0; i < 3000; i++) {
          assertEquals(round * 10_000L + i, shared.get(i));
        }
        barrier.await();
      }
    });
    assertTrue(nodes.stream().allMatch(node -> node.releaseCounts().datagramsPlaced() > 30));
  }

  @Test
  void shouldReachANodeThatIsInNoGroupOnItsConnection() {
    start(3, "");
    join(DsmSettings.from(fabric.config()).withMulticast(DsmSettings.from(fabric.config()).multicast().with(false)));
    awaitGroup();
    long before = counts(0).multicasts();
    for (int i = 1; i <= 20; i++) {
      words.getFirst().set(7, i);
      nodes.getFirst().release();
      assertEquals(i, words.get(3).get(7));
      assertEquals(i, words.get(2).get(7));
      words.get(3).set(9, i);
      nodes.get(3).release();
      assertEquals(i, words.get(1).get(9));
    }
    assertTrue(counts(0).multicasts() >= before + 20);
    assertEquals(0, counts(3).datagramsSent() + counts(3).datagramsPlaced());
    assertEquals("not used", nodes.get(3).inspect().group());
  }

  @Test
  void shouldUseTheConnectionsWhereTheGroupIsRefused() {
    start(3, "weft.hca.multicast-attachments-max = 0");
    await(() -> nodes.stream().allMatch(node -> node.inspect().group().startsWith("refused: ")));
    words.get(1).set(7, 5);
    nodes.get(1).release();
    assertEquals(5, words.get(2).get(7));
    assertEquals(0, counts(1).datagramsSent());
    assertTrue(nodes.get(1).inspect().group().contains("weft.hca.multicast-attachments-max"), nodes.get(1).inspect().group());
  }

  @Test
  void shouldGoOnWithoutALostNode() {
    start(4, "");
    awaitGroup();
    fabric.closeNode("host-2");
    for (int i = 1; i <= 50; i++) {
      words.get(1).set(7, i);
      nodes.get(1).release();
      assertEquals(i, words.get(3).get(7));
    }
  }

  @Test
  void shouldGiveEverythingBackWhenItIsClosed() {
    start(3, "");
    awaitGroup();
    int queuePairs = hosts.get(2).hca().inspect().queuePairs().size();
    nodes.get(2).close();
    await(() -> hosts.get(2).hca().inspect().multicastGroups().isEmpty());
    assertTrue(hosts.get(2).hca().inspect().queuePairs().size() < queuePairs);
    words.get(0).set(7, 5);
    nodes.get(0).release();
    assertEquals(5, words.get(1).get(7));
  }
}
