package dev.weft.hca.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** UC, UD and multicast with real threads, over {@link LocalFabric}. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class UnreliableRealTimeTest {
  private static final int QKEY = 5;

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false"));

  /** A node with a queue pair in RTS. */
  private static final class End {
    final Node node;
    final Hca hca;
    final ProtectionDomain pd;
    final MemorySegment memory = Arena.ofAuto().allocate(1 << 16, 64);
    final MemoryRegion mr;
    final CompletionQueue sendCq;
    final CompletionQueue recvCq;
    final QueuePair qp;
    final ReceiveRequest rr = new ReceiveRequest();

    End(Node node, QpType type) {
      this.node = node;
      hca = node.hca();
      pd = hca.allocPd();
      mr = hca.regMr(pd, memory, Access.ALL);
      sendCq = hca.createCq(1 << 14, ReceiveContext.POLLING, null);
      recvCq = hca.createCq(1 << 14, ReceiveContext.POLLING, null);
      qp = hca.createQp(pd, new QpInitAttr(sendCq, recvCq, 64, 256, 1, 1, 0, false).withType(type));
    }

    void toRts(End peer) {
      if (qp.type() == QpType.UD) {
        qp.modify(QpAttr.initUd(QKEY));
        qp.modify(QpAttr.rtrUd());
      } else {
        qp.modify(QpAttr.init(Access.ALL));
        qp.modify(QpAttr.rtrUc().destLid(peer.hca.lid()).destQpNum(peer.qp.qpNum()).rqPsn(0).pathMtu(1024));
      }
      qp.modify(QpAttr.rtsUnreliable(0));
    }

    WorkCompletion take(CompletionQueue cq) {
      WorkCompletion wc = new WorkCompletion();
      long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
      while (!cq.poll(wc)) {
        assertTrue(System.nanoTime() < endNs, "no completion within 20 s");
        Thread.onSpinWait();
      }
      return wc;
    }
  }

  @AfterEach
  void stop() {
    fabric.close();
  }

  @Test
  void shouldBringEveryMessageOfUcWhenReceivesAreThere() {
    End a = new End(fabric.addNode("a"), QpType.UC);
    End b = new End(fabric.addNode("b"), QpType.UC);
    a.toRts(b);
    b.toRts(a);
    WorkRequest wr = new WorkRequest();
    for (int i = 0; i < 5000; i++) {
      b.qp.postReceive(b.rr.receive(i).sge(b.mr, 0, 4000));
      a.memory.set(ValueLayout.JAVA_INT, 3000, i);
      a.qp.postSend(wr.sendWithImm(i).sge(a.mr, 0, 4000).signaled());
      assertEquals(WcStatus.SUCCESS, a.take(a.sendCq).status());
      assertEquals(i, b.take(b.recvCq).immData());
      assertEquals(i, b.memory.get(ValueLayout.JAVA_INT, 3000));
    }
  }

  @Test
  void shouldBringMulticastToAllMembers() {
    List<End> ends = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      End end = new End(fabric.addNode("n" + i), QpType.UD);
      end.toRts(end);
      end.hca.attachMulticast(end.qp, end.node.joinMulticast("g", false).toCompletableFuture().join());
      ends.add(end);
    }
    End sender = ends.getFirst();
    int lid = sender.node.joinMulticast("g", true).toCompletableFuture().join();
    AddressHandle group = sender.hca.createAh(sender.pd, lid, 0);
    WorkRequest wr = new WorkRequest();
    for (int i = 0; i < 1000; i++) {
      for (End end : ends) {
        end.qp.postReceive(end.rr.receive(i).sge(end.mr, 1024, 1064));
      }
      sender.qp.postSend(wr.sendWithImm(i).sge(sender.mr, 0, 1000).to(group, Packet.MULTICAST_QP, QKEY).signaled());
      assertEquals(WcStatus.SUCCESS, sender.take(sender.sendCq).status());
      for (End end : ends) {
        WorkCompletion got = end.take(end.recvCq);
        assertEquals(i, got.immData());
        assertEquals(1040, got.byteLen());
      }
    }
  }

  /** Whatever is posted around the failure completes once: as a success, as the failure, or flushed. */
  @Test
  void shouldCompleteEveryRequestOnceWhilePostingRacesWithFailures() {
    End a = new End(fabric.addNode("a"), QpType.UC);
    End b = new End(fabric.addNode("b"), QpType.UC);
    a.toRts(b);
    b.toRts(a);
    WorkRequest wr = new WorkRequest();
    for (int round = 0; round < 300; round++) {
      int posted = 0;
      for (; posted < 40; posted++) {
        int key = posted == round % 30 ? a.mr.lkey() + 1 : a.mr.lkey();
        a.qp.postSend(wr.write(b.mr.addr(), b.mr.rkey()).sge(a.mr.addr(), 64, key).wrId(posted).signaled());
      }
      for (int i = 0; i < posted; i++) {
        WorkCompletion wc = a.take(a.sendCq);
        assertEquals(i, wc.wrId());
        WcStatus wanted = i < round % 30 ? WcStatus.SUCCESS : i == round % 30 ? WcStatus.LOC_PROT_ERR : WcStatus.WR_FLUSH_ERR;
        assertEquals(wanted, wc.status(), "round " + round + " request " + i);
      }
      assertEquals(QpState.SQE, a.qp.state());
      a.qp.modify(new QpAttr().state(QpState.RTS));
    }
  }
}
