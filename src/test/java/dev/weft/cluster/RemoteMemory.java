package dev.weft.cluster;

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
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A queue pair to the memory that a {@link PeerMain} offers. Used by one thread. */
final class RemoteMemory {
  /** For a peer that will be killed: 0.27 s, 7 retries, so that it is noticed after 2.1 s, and a busy machine does not look like a killed one. */
  static final int TIMEOUT = 16;
  /** For a peer that is to live, on a machine that may stand still for seconds. */
  static final int PATIENT_TIMEOUT = ConnectionOptions.DEFAULT.timeout();
  static final int RETRIES = 7;

  private final CompletionQueue cq;
  private final QueuePair qp;
  private final MemoryRegion mr;
  private final MemorySegment memory = Arena.ofAuto().allocate(1 << 16, 64);
  private final long remoteAddr;
  private final int rkey;
  private final WorkRequest wr = new WorkRequest();
  private final WorkCompletion wc = new WorkCompletion();

  RemoteMemory(Node node, String peer, int timeout) throws Exception {
    Hca hca = node.hca();
    ProtectionDomain pd = hca.allocPd();
    mr = hca.regMr(pd, memory, Access.ALL);
    cq = hca.createCq(64, ReceiveContext.POLLING, null);
    qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
    CompletableFuture<byte[]> established = new CompletableFuture<>();
    node.cm().connect(peer, "memory", qp, ConnectionOptions.DEFAULT.withTimeout(timeout).withRetryCnt(RETRIES), null,
        new ConnectionObserver() {
          @Override
          public void onEstablished(Connection connection, byte[] privateData) {
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
    remoteAddr = where.getLong();
    rkey = where.getInt();
  }

  QueuePair qp() {
    return qp;
  }

  MemorySegment local() {
    return memory;
  }

  /** Writes local memory from offset 0 and waits for the completion. */
  WorkCompletion write(long remoteOffset, int lengthBytes) throws InterruptedException {
    qp.postSend(wr.write(remoteAddr + remoteOffset, rkey).sge(mr, 0, lengthBytes).signaled());
    return await();
  }

  /** Reads into local memory at offset 0 and waits for the completion. */
  WorkCompletion read(long remoteOffset, int lengthBytes) throws InterruptedException {
    qp.postSend(wr.read(remoteAddr + remoteOffset, rkey).sge(mr, 0, lengthBytes).signaled());
    return await();
  }

  /** Writes 8 bytes to offset 0, naming a counter of the peer, and waits for the completion. */
  WorkCompletion notify(int counter) throws InterruptedException {
    qp.postSend(wr.writeWithImm(remoteAddr, rkey, counter).sge(mr, 0, Long.BYTES).signaled());
    return await();
  }

  private WorkCompletion await() throws InterruptedException {
    while (!cq.poll(wc)) {
      Thread.sleep(0, 50_000);
    }
    return wc;
  }
}
