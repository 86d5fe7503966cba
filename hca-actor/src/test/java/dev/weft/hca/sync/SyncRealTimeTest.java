package dev.weft.hca.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.SyncHome.Kind;
import dev.weft.hca.verbs.ReceiveContext;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same locks in real time; callbacks on the hardware thread. */
@Tag("actor")
@Timeout(180)
class SyncRealTimeTest {
  private static final int ENTRIES = 200;

  @Test
  void shouldExcludeEachOtherInRealTime() throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"))) {
      Node home = fabric.addNode("home");
      List<Node> nodes = List.of(fabric.addNode("one"), fabric.addNode("two"), fabric.addNode("three"));
      SyncMesh mesh = SyncMesh.connect(home, nodes, ReceiveContext.ISR, Kind.MUTEX, Kind.SEMAPHORE);
      mesh.home().initialize(1, 1);
      CountDownLatch done = new CountDownLatch(nodes.size());
      int[] inside = new int[1];
      int[] entered = new int[1];
      for (SyncClient client : mesh.clients()) {
        McsLock lock = new McsLock(client, 0);
        CountingSemaphore semaphore = new CountingSemaphore(client, 1);
        client.run(() -> loop(lock, semaphore, ENTRIES, inside, entered, done));
      }
      assertTrue(done.await(90, TimeUnit.SECONDS), "all entered and left");
      assertEquals(nodes.size() * ENTRIES, entered[0]);
      assertEquals(0, mesh.home().snapshot().get(0).word());
      assertEquals(1, mesh.home().snapshot().get(1).word());
    }
  }

  /** One unit of the semaphore makes a second lock around the first. */
  private static void loop(McsLock lock, CountingSemaphore semaphore, int left, int[] inside, int[] entered, CountDownLatch done) {
    if (left == 0) {
      done.countDown();
      return;
    }
    lock.acquire(ok -> semaphore.down(admitted -> {
      assertTrue(ok && admitted);
      if (++inside[0] == 1) {
        entered[0]++;
      }
      inside[0]--;
      semaphore.up(given -> lock.release(released -> loop(lock, semaphore, left - 1, inside, entered, done)));
    }));
  }
}
