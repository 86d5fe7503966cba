package dev.weft.lab.seed001;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.hosts.SwapProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Times RDMA Writes between two hosts of a profile, through the very transport. */
final class RdmaProbe implements AutoCloseable {
  static final int BYTES_MAX = 128 << 10;
  private static final int DEPTH = 32;
  private static final int FLOOD = 256;
  private static final int FLOOD_BYTES = 64 << 10;
  private static final long LIMIT_NS = 10_000_000_000L;
  private static final int PSN = 1;

  private final VirtualFabric fabric;
  private final Side near;
  private final Side far;
  private byte mark;

  private static final class Side {
    private final Node node;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES_MAX, 4096);
    private final MemoryRegion mr;

    Side(Node node) {
      this.node = node;
      ProtectionDomain pd = node.hca().allocPd();
      cq = node.hca().createCq(2 * DEPTH, ReceiveContext.POLLING, null);
      qp = node.hca().createQp(pd, QpInitAttr.of(cq, DEPTH));
      mr = node.hca().regMr(pd, memory, Access.ALL);
      qp.modify(QpAttr.init(Access.ALL));
    }

    void connect(Side peer, int mtu) {
      qp.modify(QpAttr.rtr().destLid(peer.node.hca().lid()).destQpNum(peer.qp.qpNum()).rqPsn(PSN).pathMtu(mtu));
      qp.modify(QpAttr.rts(PSN));
    }
  }

  RdmaProbe(SwapProfile profile, long seed) {
    int mtu = profile.hardware().mtuBytes();
    fabric = VirtualFabric.withoutProcessors(seed, profile.hardware(), LinkFaults.NONE, ConfigFactory.empty());
    near = new Side(fabric.addNode("near"));
    far = new Side(fabric.addNode("far"));
    near.connect(far, mtu);
    far.connect(near, mtu);
    writeNs(1); // Fetches the contexts.
  }

  /** Nanoseconds from posting until the last byte is in the other host's memory. */
  long writeNs(int bytes) {
    mark++;
    near.memory.fill(mark);
    long from = fabric.system().nowNs();
    post(bytes);
    run(() -> far.memory.get(ValueLayout.JAVA_BYTE, bytes - 1) == mark);
    long ns = fabric.system().nowNs() - from;
    run(this::reap);
    return ns;
  }

  /** Bytes per second of many long writes in flight together. */
  double writeBytesPerSecond() {
    long from = fabric.system().nowNs();
    int[] left = {FLOOD, FLOOD};
    for (int i = 0; i < DEPTH; i++) {
      post(FLOOD_BYTES);
      left[0]--;
    }
    run(() -> {
      while (reap()) {
        left[1]--;
        if (left[0] > 0) {
          left[0]--;
          post(FLOOD_BYTES);
        }
      }
      return left[1] == 0;
    });
    return (double) FLOOD * FLOOD_BYTES * 1e9 / (fabric.system().nowNs() - from);
  }

  private void post(int bytes) {
    near.qp.postSend(new WorkRequest().write(far.mr.addr(), far.mr.rkey()).sge(near.mr, 0, bytes).signaled());
  }

  private boolean reap() {
    return near.cq.poll(new WorkCompletion());
  }

  private void run(java.util.function.BooleanSupplier condition) {
    if (!fabric.system().runUntil(condition, LIMIT_NS)) {
      throw new IllegalStateException("a write did not end");
    }
  }

  @Override
  public void close() {
    fabric.close();
  }
}
