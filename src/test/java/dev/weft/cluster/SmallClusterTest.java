package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.sync.CountingSemaphore;
import dev.weft.hca.sync.SyncClient;
import dev.weft.hca.sync.SyncMember;
import dev.weft.hca.sync.SyncService;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.ReceiveContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Two JVMs on this host, with the ports that the kernel gives: the last one goes on whichever was killed, and one that was removed says so to
 * all who wait in it.
 */
@Tag("jvms")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
class SmallClusterTest {
  private final List<String> failures = new CopyOnWriteArrayList<>();
  private Path directory;
  private ClusterFabric fabric;
  private Peer peer;
  private Node node;

  @BeforeEach
  void makeDirectory() throws Exception {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "weft-test-");
  }

  @AfterEach
  void stop() throws Exception {
    peer.close();
    if (fabric != null) {
      fabric.close();
    }
    IoUtil.delete(directory.toFile(), true);
  }

  private Path driver() {
    return directory.resolve("driver");
  }

  private void startFirst() throws Exception {
    fabric = PeerMain.join(driver(), List.of(), failures::add);
    peer = Peer.start(SyncPeerMain.class, driver(), fabric.address(), "other");
    node = fabric.addNode("own");
    Members.await(fabric, 2, "other");
  }

  private void joinFirst() throws Exception {
    peer = Peer.start(SyncPeerMain.class, driver(), SyncPeerMain.NO_SEED, "other");
    peer.say("address");
    fabric = PeerMain.join(driver(), List.of(peer.expectRest("address ")), failures::add);
    node = fabric.addNode("own");
    Members.await(fabric, 2, "other");
  }

  @Test
  void shouldGoOnWhenTheSecondJvmIsKilled() throws Exception {
    startFirst();
    shouldGoOnAlone();
  }

  @Test
  void shouldGoOnWhenTheFirstJvmIsKilled() throws Exception {
    joinFirst();
    shouldGoOnAlone();
  }

  /** A thread of this JVM waits for a unit that the other's semaphore does not have. */
  private void shouldGoOnAlone() throws Exception {
    peer.say("offer");
    peer.expect("offered");
    CompletableFuture<SyncClient> joined = new CompletableFuture<>();
    CompletableFuture<String> lost = new CompletableFuture<>();
    SyncMember.join(node, "other", SyncPeerMain.LOCKS, SyncPeerMain.KINDS.length, ReceiveContext.ISR, new SyncMember.Observer() {
      @Override
      public void onJoined(SyncClient client) {
        joined.complete(client);
      }

      @Override
      public void onLost(String reason) {
        lost.complete(reason);
      }
    });
    SyncClient client = joined.get(LostJvmTest.NOTICED_SECONDS, TimeUnit.SECONDS);
    CompletableFuture<Boolean> given = new CompletableFuture<>();
    client.run(() -> new CountingSemaphore(client, 1).down(given::complete));
    peer.kill();
    assertEquals(false, given.get(LostJvmTest.NOTICED_SECONDS, TimeUnit.SECONDS));
    assertTrue(lost.get(LostJvmTest.NOTICED_SECONDS, TimeUnit.SECONDS).contains("home"), "by the cluster, or by a message that is not acknowledged");
    Members.awaitUp(fabric, 1); // The other JVM is removed.
    assertFalse(fabric.system().getWhenTerminated().toCompletableFuture().isDone());
    assertEquals(List.of(), failures);
    Node later = fabric.addNode("later");
    assertTrue(later.hca().lid() != 0);
    Waits.until("the subnet manager to publish the node", () -> fabric.directory().lookup("later").isPresent());
    SyncService.offer(later, SyncPeerMain.LOCKS, 8, SyncPeerMain.KINDS);
  }

  /** The peer may not know this JVM's node yet. */
  private void joinLocksOfOwn() throws Exception {
    String said;
    do {
      peer.say("join own");
      said = peer.expectOneOf("joined", "lost: ");
    } while (!said.equals("joined"));
  }

  @Test
  void shouldTellEverybodyInAJvmThatWasRemovedWhileItWasPaused() throws Exception {
    startFirst();
    SyncService service = SyncService.offer(node, SyncPeerMain.LOCKS, 8, SyncPeerMain.KINDS);
    joinLocksOfOwn();
    peer.say("memory");
    peer.expect("offered");
    RemoteMemory memory = new RemoteMemory(node, "other", RemoteMemory.TIMEOUT);
    memory.notify(0);
    peer.expect("REACHED 1");
    peer.say("down");
    Waits.seen("the peer to wait", () -> service.home().snapshot().get(1).clients(), clients -> clients.size() == 1);
    peer.pause();
    try {
      Members.awaitUp(fabric, 1); // The paused JVM is removed.
    } finally {
      peer.resume();
    }
    Waits.seen("the connection to the removed JVM to end", () -> memory.qp().state(), state -> state == QpState.ERR);
    // In no particular order.
    List<String> told = new CopyOnWriteArrayList<>();
    while (told.stream().map(line -> line.split(" ")[0]).distinct().count() < 4) {
      told.add(peer.expectOneOf("down false", "LOST 2", "lost: the node of the home was lost", "FAILED "));
    }
    assertEquals(List.of(), failures, "the other side goes on");
  }
}
