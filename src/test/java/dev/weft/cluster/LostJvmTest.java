package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.CountingSemaphore;
import dev.weft.hca.sync.McsLock;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.sync.SyncService;
import dev.weft.hca.verbs.EventCounters.Awaited;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Three JVMs on this host, of which one is killed while it holds a lock, waits, is the home of locks, or owns memory that is not pinned:
 * the others are told, with a result, when the cluster has noticed.
 */
@Tag("jvms")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class LostJvmTest {
  /** The cluster notices in about 12 s; only a test that would fail waits so long. */
  static final int NOTICED_SECONDS = Waits.PATIENCE_S;

  private Jvms jvms;
  private ClusterFabric fabric;
  private Node node;
  private Peer left;
  private Peer right;

  @BeforeEach
  void start() throws Exception {
    jvms = new Jvms();
    fabric = jvms.fabric();
    node = fabric.addNode("middle"); // Before them: who is up has heard of it then.
    left = jvms.start(SyncPeerMain.class, "left");
    right = jvms.start(SyncPeerMain.class, "right");
    Members.await(fabric, 3, "left", "right");
  }

  @AfterEach
  void stop() throws Exception {
    jvms.close();
  }

  /** A client of this JVM. */
  private final class Guest implements SyncMember.Observer {
    private final CompletableFuture<SyncClient> joined = new CompletableFuture<>();
    private final CompletableFuture<String> lost = new CompletableFuture<>();

    SyncClient join(String home) throws Exception {
      SyncMember.join(node, home, SyncPeerMain.LOCKS, SyncPeerMain.KINDS.length, ReceiveContext.ISR, this);
      return get(joined);
    }

    @Override
    public void onJoined(SyncClient client) {
      joined.complete(client);
    }

    @Override
    public void onLost(String reason) {
      lost.complete(reason);
    }
  }

  private static <T> T get(CompletableFuture<T> result) throws InterruptedException, ExecutionException, TimeoutException {
    return result.get(NOTICED_SECONDS, TimeUnit.SECONDS);
  }

  private static void ask(Peer peer, String command, String answer) throws Exception {
    peer.say(command);
    peer.expect(answer);
  }

  @Test
  void shouldPassTheLockOfAKilledHolderOnInOrder() throws Exception {
    SyncService.offer(node, SyncPeerMain.LOCKS, 8, SyncPeerMain.KINDS);
    ask(left, "join middle", "joined");
    ask(right, "join middle", "joined");
    SyncClient mine = new Guest().join("middle");
    ask(left, "acquire", "acquire true");
    ask(right, "acquire", "queued");
    CompletableFuture<Void> queued = new CompletableFuture<>();
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    mine.run(() -> new McsLock(mine, 0).acquire(() -> queued.complete(null), held::complete));
    get(queued);
    left.kill();
    right.expect("acquire true");
    assertTrue(!held.isDone(), "it came later, so its turn is later");
    ask(right, "release", "release true");
    assertEquals(true, get(held));
  }

  @Test
  void shouldPassOverAKilledWaiter() throws Exception {
    SyncService service = SyncService.offer(node, SyncPeerMain.LOCKS, 8, SyncPeerMain.KINDS);
    ask(left, "join middle", "joined");
    ask(right, "join middle", "joined");
    SyncClient mine = new Guest().join("middle");
    CountingSemaphore semaphore = new CountingSemaphore(mine, 1);
    left.say("down");
    awaitWaiters(service, 1);
    right.say("down");
    awaitWaiters(service, 2);
    left.kill();
    awaitWaiters(service, 1);
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    mine.run(() -> semaphore.up(given::complete));
    assertEquals(true, get(given));
    right.expect("down true");
  }

  private static void awaitWaiters(SyncService service, int count) {
    Waits.seen(count + " waiters", () -> service.home().snapshot().get(1).clients(), clients -> clients.size() == count);
  }

  @Test
  void shouldTellWhoHoldsAndWhoWaitsThatTheHomeWasKilled() throws Exception {
    ask(left, "offer", "offered");
    ask(right, "join left", "joined");
    Guest guest = new Guest();
    SyncClient mine = guest.join("left");
    ask(right, "acquire", "acquire true");
    CompletableFuture<Void> queued = new CompletableFuture<>();
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    McsLock lock = new McsLock(mine, 0);
    mine.run(() -> lock.acquire(() -> queued.complete(null), held::complete));
    get(queued);
    left.kill();
    assertEquals(false, get(held));
    assertEquals("the node of the home was lost", get(guest.lost));
    right.expect("lost: the node of the home was lost");
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    mine.run(() -> new CountingSemaphore(mine, 1).down(later::complete));
    assertEquals(false, get(later), "later operations end, too");
  }

  @Test
  void shouldFailWritesToUnpinnedMemoryAndCountersOfAKilledJvm() throws Exception {
    ask(left, "memory", "offered");
    ask(right, "memory", "offered");
    RemoteMemory toLeft = new RemoteMemory(node, "left", RemoteMemory.TIMEOUT);
    RemoteMemory toRight = new RemoteMemory(node, "right", RemoteMemory.PATIENT_TIMEOUT);
    for (int i = 0; i < 500; i++) {
      long offset = i * 7L % (SyncPeerMain.PAGES - 1) * 4096;
      assertEquals(WcStatus.SUCCESS, toLeft.write(offset, 4096).status(), "an eighth of the pages fits in");
      assertEquals(WcStatus.SUCCESS, toRight.write(offset, 4096).status());
    }
    assertEquals(WcStatus.SUCCESS, toLeft.notify(0).status());
    left.expect("REACHED 1");
    left.kill();
    WorkCompletion failed = toLeft.notify(0);
    while (failed.isSuccess()) {
      failed = toLeft.notify(0);
    }
    // The retries end, or the fabric hears of the loss before, and the queue pair goes to ERR.
    assertTrue(Set.of(WcStatus.RETRY_EXC_ERR, WcStatus.WR_FLUSH_ERR).contains(failed.status()), failed.status()::toString);
    assertEquals(WcStatus.WR_FLUSH_ERR, toLeft.write(0, 4096).status());
    for (int i = 0; i < 500; i++) {
      assertEquals(WcStatus.SUCCESS, toRight.write(i * 11L % (SyncPeerMain.PAGES - 1) * 4096, 4096).status(), "the rest goes on");
    }
  }

  @Test
  void shouldTellWhoWaitsOnACounterThatTheNotifyingJvmWasKilled() throws Exception {
    Counted counted = new Counted(node);
    ask(left, "notify middle", "notified");
    assertEquals(Awaited.REACHED, counted.await(1));
    left.kill();
    assertEquals(Awaited.LOST, counted.await(2));
    assertTrue(counted.failure().contains("lost"), counted::failure);
  }
}
