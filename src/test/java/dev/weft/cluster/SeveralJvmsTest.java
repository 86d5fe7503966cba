package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A fabric of three JVMs on this host: one dies, one is paused. */
@Tag("jvms")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class SeveralJvmsTest {
  private Jvms jvms;
  private ClusterFabric fabric;
  private Node node;
  private Peer left;
  private Peer right;

  @BeforeEach
  void start() throws Exception {
    jvms = new Jvms();
    fabric = jvms.fabric();
    left = jvms.start(PeerMain.class, "left");
    right = jvms.start(PeerMain.class, "right");
    node = fabric.addNode("middle");
    Members.await(fabric, 3, "left", "right");
  }

  @AfterEach
  void stop() throws Exception {
    jvms.close();
  }

  @Test
  void shouldFailOnlyTheQueuePairsToAJvmThatIsKilledUnderLoad() throws Exception {
    RemoteMemory toLeft = new RemoteMemory(node, "left", RemoteMemory.TIMEOUT);
    RemoteMemory toRight = new RemoteMemory(node, "right", RemoteMemory.PATIENT_TIMEOUT);
    for (int i = 0; i < 500; i++) {
      assertEquals(WcStatus.SUCCESS, toLeft.write(0, 4096).status());
    }
    left.kill();
    WorkCompletion failed = null;
    while (failed == null) { // The time limit is the test's.
      WorkCompletion done = toLeft.write(0, 4096);
      failed = done.isSuccess() ? null : done;
    }
    // Its retries are used up, or the end of the process was seen before.
    assertTrue(failed.status() == WcStatus.RETRY_EXC_ERR || failed.status() == WcStatus.WR_FLUSH_ERR, failed::toString);
    assertEquals(dev.weft.hca.verbs.QpState.ERR, toLeft.qp().state());
    for (int i = 0; i < 500; i++) {
      assertEquals(WcStatus.SUCCESS, toRight.write(0, 4096).status(), "the rest goes on");
    }
    Members.awaitUp(fabric, 2);
    Waits.until("the directory to forget the node", () -> fabric.directory().lookup("left").isEmpty());
    assertEquals(WcStatus.SUCCESS, toRight.read(0, 4096).status(), "and still after the removal");
  }

  @Test
  void shouldCorruptNothingByDefaultWhenAJvmIsPausedForNineSeconds() throws Exception {
    // Seventeen times what retries lasted once, and less than the cluster takes to remove a member (weft-cluster.conf).
    RemoteMemory memory = new RemoteMemory(node, "right", RemoteMemory.PATIENT_TIMEOUT);
    long seed = 20261121;
    SplittableRandom random = new SplittableRandom(seed);
    byte[] expected = new byte[PeerMain.MEMORY_BYTES];
    long pausedAt = 0;
    for (int i = 0; i < 2_000; i++) {
      if (i == 500) {
        pausedAt = System.nanoTime();
        right.pauseFor(9_000);
      }
      int length = 1 + random.nextInt(1 << 16);
      int offset = random.nextInt(PeerMain.MEMORY_BYTES - length);
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      MemorySegment.copy(bytes, 0, memory.local(), ValueLayout.JAVA_BYTE, 0, length);
      System.arraycopy(bytes, 0, expected, offset, length);
      assertEquals(WcStatus.SUCCESS, memory.write(offset, length).status(), "write " + i + " of seed " + seed);
    }
    assertTrue(System.nanoTime() - pausedAt > TimeUnit.SECONDS.toNanos(8), "the pause was felt");
    HcaSnapshot.Qp qp = node.hca().inspect().queuePairs().stream().filter(one -> one.number() == memory.qp().qpNum()).findFirst()
        .orElseThrow();
    assertTrue(qp.silenceMaxNs() > TimeUnit.SECONDS.toNanos(6) && qp.silenceMaxNs() < qp.retryBudgetNs(), qp.toString());
    for (int offset = 0; offset < expected.length; offset += 1 << 16) {
      assertEquals(WcStatus.SUCCESS, memory.read(offset, 1 << 16).status());
      assertEquals(-1, memory.local().mismatch(MemorySegment.ofArray(expected).asSlice(offset, 1 << 16)), "seed " + seed);
    }
  }
}
