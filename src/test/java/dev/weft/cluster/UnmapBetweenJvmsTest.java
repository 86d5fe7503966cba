package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A JVM takes its memory back while another reads it, by one copy out of it: what is written there afterwards is never read. */
@Tag("jvms")
@Timeout(400)
class UnmapBetweenJvmsTest {
  private static final int ROUNDS = 60;
  /** Where others take the processors all reads of a round are often over before the memory is taken back. */
  private static final int ROUNDS_MAX = 600;
  private static final int READS = 8;
  private static final int LENGTH = UnmapPeerMain.LENGTH;
  /** 67 ms. Where the bytes of a response are gone and a later read has been refused, nobody answers any more. */
  private static final ConnectionOptions IMPATIENT = ConnectionOptions.DEFAULT.withTimeout(14);

  private final MemorySegment into = Arena.ofAuto().allocate(LENGTH, 4096);
  private Node node;
  private ProtectionDomain pd;
  private CompletionQueue cq;
  private MemoryRegion target;
  private int failed;

  @Test
  void shouldNotReadWhatIsWrittenAfterItWasDeregistered() throws Exception {
    try (Jvms jvms = new Jvms()) {
      jvms.start(UnmapPeerMain.class, "peer");
      node = jvms.fabric().addNode("reader");
      Members.await(jvms.fabric(), 2, "peer");
      Hca hca = node.hca();
      pd = hca.allocPd();
      cq = hca.createCq(64, ReceiveContext.POLLING, null);
      target = hca.regMr(pd, into, Access.ALL);
      for (byte kind : new byte[] {UnmapPeerMain.SHARED, UnmapPeerMain.PRIVATE}) {
        failed = 0;
        int rounds = 0;
        while (rounds < ROUNDS || failed == 0 && rounds < ROUNDS_MAX) {
          read(kind);
          rounds++;
        }
        assertTrue(failed > 0 && failed < rounds * READS, "kind " + kind + ": " + failed + " reads failed in " + rounds + " rounds");
      }
    }
  }

  private void read(byte kind) throws Exception {
    QueuePair qp = node.hca().createQp(pd, QpInitAttr.of(cq, 16));
    CompletableFuture<byte[]> established = new CompletableFuture<>();
    CompletableFuture<Connection> made = new CompletableFuture<>();
    node.cm().connect("peer", "memory", qp, IMPATIENT, new byte[] {kind}, new ConnectionObserver() {
      @Override
      public void onEstablished(Connection connection, byte[] privateData) {
        made.complete(connection);
        established.complete(privateData);
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {
        established.completeExceptionally(new IllegalStateException("refused: " + reason));
      }

      @Override
      public void onDisconnected(Connection connection, boolean nodeLost) {}
    });
    ByteBuffer where = ByteBuffer.wrap(established.get(Waits.PATIENCE_S, TimeUnit.SECONDS));
    long address = where.getLong();
    int rkey = where.getInt();
    for (int i = 0; i < READS; i++) {
      qp.postSend(new WorkRequest().read(address, rkey).sge(target, 0, LENGTH).signaled());
    }
    WorkCompletion wc = new WorkCompletion();
    for (int done = 0; done < READS; ) {
      if (!cq.poll(wc)) {
        Thread.yield();
        continue;
      }
      done++;
      failed += wc.isSuccess() ? 0 : 1;
    }
    assertFalse(hasBytesOfLater(), "bytes of later");
    made.join().disconnect();
    node.hca().destroyQp(qp);
  }

  private boolean hasBytesOfLater() {
    for (long i = 0; i < LENGTH; i++) {
      if (into.get(ValueLayout.JAVA_BYTE, i) == UnmapPeerMain.AFTER) {
        return true;
      }
    }
    return false;
  }
}
