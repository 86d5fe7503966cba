package dev.weft.hca;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Two nodes in virtual time, each with a queue pair, completion queues and a registered buffer; connected by hand. */
final class Pair implements AutoCloseable {
  static final int BUFFER = 1 << 20;
  static final int MTU = 1024;
  static final long SECOND = 1_000_000_000L;

  final VirtualFabric fabric;
  final Side a;
  final Side b;

  /** One side of the pair. */
  static final class Side {
    final Node node;
    final Hca hca;
    final ProtectionDomain pd;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final QueuePair qp;
    final MemorySegment memory;
    final MemoryRegion mr;
    final WorkRequest wr = new WorkRequest();
    final ReceiveRequest rr = new ReceiveRequest();

    Side(Node node, QpShape shape, int access) {
      this.node = node;
      hca = node.hca();
      pd = hca.allocPd();
      sendCq = hca.createCq(shape.cqe, ReceiveContext.POLLING, null);
      recvCq = hca.createCq(shape.cqe, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, new QpInitAttr(sendCq, recvCq, shape.depth, shape.depth, 4, 4, 256, shape.sigAll));
      memory = Arena.ofAuto().allocate(BUFFER, 64);
      mr = hca.regMr(pd, memory, 0x10000000L * hca.lid(), access);
    }

    List<WorkCompletion> sent() {
      return drain(sendCq);
    }

    List<WorkCompletion> received() {
      return drain(recvCq);
    }

    void post(long wrId, long offset, int length) {
      qp.postReceive(rr.receive(wrId).sge(mr, offset, length));
    }

    private static List<WorkCompletion> drain(CompletionQueue cq) {
      List<WorkCompletion> all = new ArrayList<>();
      WorkCompletion wc = new WorkCompletion();
      while (cq.poll(wc)) {
        all.add(wc);
        wc = new WorkCompletion();
      }
      return all;
    }
  }

  /** Sizes of the queues. */
  record QpShape(int depth, int cqe, boolean sigAll) {
    static final QpShape DEFAULT = new QpShape(64, 256, false);
  }

  Pair() {
    this(1, LinkFaults.NONE, QpShape.DEFAULT, Access.ALL);
  }

  Pair(long seed, LinkFaults faults, QpShape shape, int access) {
    fabric = new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), faults, ConfigFactory.empty());
    a = new Side(fabric.addNode("a"), shape, access);
    b = new Side(fabric.addNode("b"), shape, access);
  }

  /** A connected pair. */
  static Pair connected() {
    return new Pair().connect(attr -> {});
  }

  static Pair connected(long seed, LinkFaults faults) {
    return new Pair(seed, faults, QpShape.DEFAULT, Access.ALL).connect(attr -> {});
  }

  /** Takes both queue pairs to RTS; {@code tune} may change the attributes of the last step. */
  Pair connect(java.util.function.Consumer<QpAttr> tune) {
    toRtr(a, b, 100, 200);
    toRtr(b, a, 200, 100);
    toRts(a, 100, tune);
    toRts(b, 200, tune);
    return this;
  }

  private static void toRtr(Side own, Side peer, int sqPsn, int rqPsn) {
    own.qp.modify(QpAttr.init(Access.ALL));
    own.qp.modify(QpAttr.rtr(peer.hca.lid(), peer.qp.qpNum(), rqPsn, MTU));
  }

  private static void toRts(Side own, int sqPsn, java.util.function.Consumer<QpAttr> tune) {
    QpAttr attr = QpAttr.rts(sqPsn);
    tune.accept(attr);
    own.qp.modify(attr);
  }

  /** Runs until nothing moves any more, at most ten virtual seconds. */
  void run() {
    fabric.system().runFor(10 * SECOND);
  }

  @Override
  public void close() {
    fabric.close();
  }
}
