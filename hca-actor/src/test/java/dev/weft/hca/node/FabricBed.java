package dev.weft.hca.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.function.Executable;

/** One end of a connection of two nodes, with requests that cannot be done: the peer posts no receive. */
final class FabricBed {
  static final int SENDS = 12;
  static final int RECEIVES = 5;

  final Node node;
  final Hca hca;
  final ProtectionDomain pd;
  final MemoryRegion mr;
  final CompletionQueue cq;
  final QueuePair qp;

  FabricBed(Node node, ReceiveContext context, CompletionHandler handler) {
    this.node = node;
    hca = node.hca();
    pd = hca.allocPd();
    mr = hca.regMr(pd, Arena.ofAuto().allocate(4096), Access.ALL);
    cq = hca.createCq(64, context, handler);
    qp = hca.createQp(pd, QpInitAttr.of(cq, 16));
  }

  FabricBed(Node node) {
    this(node, ReceiveContext.POLLING, null);
  }

  void connect(FabricBed peer) {
    qp.modify(QpAttr.init(Access.ALL));
    peer.qp.modify(QpAttr.init(Access.ALL));
    qp.modify(QpAttr.rtr().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(8).pathMtu(1024));
    peer.qp.modify(QpAttr.rtr().destLid(hca.lid()).destQpNum(qp.qpNum()).rqPsn(7).pathMtu(1024));
    qp.modify(QpAttr.rts(7));
    peer.qp.modify(QpAttr.rts(8));
  }

  void postAll() {
    for (int i = 0; i < SENDS; i++) {
      qp.postSend(new WorkRequest().send().sge(mr, 0, 64).wrId(i).signaled());
    }
    for (int i = 0; i < RECEIVES; i++) {
      qp.postReceive(new ReceiveRequest().receive(100 + i).sge(mr, 0, 64));
    }
  }

  List<WorkCompletion> drain() {
    List<WorkCompletion> all = new ArrayList<>();
    for (WorkCompletion wc = new WorkCompletion(); cq.poll(wc); wc = new WorkCompletion()) {
      all.add(wc);
    }
    return all;
  }

  /** After the end: everything posted was flushed, in order, once, and can be polled. */
  void assertFlushed() {
    List<WorkCompletion> all = drain();
    assertEquals(SENDS + RECEIVES, all.size(), all::toString);
    for (int i = 0; i < all.size(); i++) {
      assertEquals(WcStatus.WR_FLUSH_ERR, all.get(i).status());
      assertEquals(i < SENDS ? i : 100 + i - SENDS, all.get(i).wrId());
    }
    assertEquals(List.of(), drain());
    assertEquals(dev.weft.hca.verbs.QpState.ERR, qp.state());
  }

  static void assertRefused(Executable verb) {
    VerbsException refused = assertThrows(VerbsException.class, verb);
    assertEquals(VerbsException.Errno.ENODEV, refused.errno(), refused::getMessage);
  }

  /** What makes or changes something is refused at once, what gives back is not. */
  void assertRefusesAllButTheEnd() {
    assertRefused(hca::allocPd);
    assertRefused(() -> hca.regMr(pd, Arena.ofAuto().allocate(64), Access.ALL));
    assertRefused(() -> hca.createCq(4, ReceiveContext.POLLING, null));
    assertRefused(() -> qp.modify(new QpAttr().state(dev.weft.hca.verbs.QpState.RESET)));
    assertRefused(() -> qp.postSend(new WorkRequest().send().sge(mr, 0, 64)));
    assertRefused(() -> qp.postReceive(new ReceiveRequest().receive(1)));
    assertEquals(1, hca.inspect().queuePairs().size());
    assertRefused(() -> node.cm().listen("later", request -> {}));
    hca.destroyQp(qp);
    hca.destroyCq(cq);
    hca.deregMr(mr);
    hca.deallocPd(pd);
  }
}
