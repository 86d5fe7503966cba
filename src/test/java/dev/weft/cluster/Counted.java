package dev.weft.cluster;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** Memory of this JVM that a peer writes to through service {@code memory}, naming a counter that a thread waits on. */
final class Counted {
  private static final int BYTES = 1 << 16;

  private final EventCounters counters;

  Counted(Node node) {
    Hca hca = node.hca();
    ProtectionDomain pd = hca.allocPd();
    MemoryRegion mr = hca.regMr(pd, Arena.global().allocate(BYTES, 4096), Access.ALL);
    CompletionQueue cq = hca.createCq(64, ReceiveContext.POLLING, null);
    counters = new EventCounters(1, 4, hca.contexts());
    node.cm().listen("memory", request -> {
      QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
      hca.useEventCounters(qp, counters);
      request.accept(qp, ConnectionOptions.DEFAULT, ByteBuffer.allocate(12).putLong(mr.addr()).putInt(mr.rkey()).array(), new Quiet());
    });
  }

  EventCounters.Awaited await(long value) throws InterruptedException {
    return counters.await(0, value, TimeUnit.SECONDS.toNanos(LostJvmTest.NOTICED_SECONDS));
  }

  String failure() {
    return counters.failure();
  }

  /** Takes note of nothing: what matters comes by way of the counters. */
  static final class Quiet implements ConnectionObserver {
    @Override
    public void onEstablished(Connection connection, byte[] privateData) {}

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {}

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}
  }
}
