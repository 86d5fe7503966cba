package dev.weft.hca.sync;

import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpAttr;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/** A home and its clients within one JVM, connected by hand: each client with the home and with each other client. */
public final class SyncMesh {
  private static final int DEPTH = 256;
  private static final int INLINE = 16;
  private static final int FIRST_PSN = 1;

  private final SyncHome home;
  private final List<SyncClient> clients = new ArrayList<>();

  private SyncMesh(SyncHome home) {
    this.home = home;
  }

  /** Connects the nodes; clients are numbered from 1 in their order. */
  public static SyncMesh connect(Node homeNode, List<Node> clientNodes, ReceiveContext context, SyncHome.Kind... kinds) {
    Hca hca = homeNode.hca();
    ProtectionDomain pd = hca.allocPd();
    SyncMesh mesh = new SyncMesh(new SyncHome(hca, pd, kinds));
    CompletionQueue cq = hca.createCq(DEPTH * clientNodes.size(), ReceiveContext.ISR, SyncMesh::discard);
    cq.arm(false);
    List<ProtectionDomain> domains = new ArrayList<>();
    for (Node node : clientNodes) {
      ProtectionDomain own = node.hca().allocPd();
      SyncClient client = new SyncClient(node.hca(), own, mesh.clients.size() + 1, kinds.length, context);
      QueuePair near = queuePair(node.hca(), own, client.cq(), client.counters());
      QueuePair far = queuePair(hca, pd, cq, null);
      join(near, far);
      client.connectHome(near, mesh.home.address());
      hca.onHardware(() -> {
        mesh.home.addClient(client.id(), far, client.mailbox());
        return null;
      });
      for (int i = 0; i < mesh.clients.size(); i++) {
        SyncClient other = mesh.clients.get(i);
        QueuePair mine = queuePair(node.hca(), own, client.cq(), client.counters());
        QueuePair its = queuePair(clientNodes.get(i).hca(), domains.get(i), other.cq(), other.counters());
        join(mine, its);
        client.connectPeer(other.id(), mine, other.mailbox());
        other.connectPeer(client.id(), its, client.mailbox());
      }
      mesh.clients.add(client);
      domains.add(own);
    }
    return mesh;
  }

  /** Discards the completions of the home's requests, which frees their slots. */
  private static void discard(CompletionQueue queue) {
    WorkCompletion wc = new WorkCompletion();
    do {
      while (queue.poll(wc)) {
        // Nothing else to do: polling frees the slots.
      }
    } while (queue.arm(false) == CompletionQueue.Armed.COMPLETIONS_WAITING);
  }

  private static QueuePair queuePair(Hca hca, ProtectionDomain pd, CompletionQueue cq, EventCounters counters) {
    QueuePair qp = hca.createQp(pd, new QpInitAttr(cq, cq, DEPTH, 1, 1, 1, INLINE, false));
    if (counters != null) {
      hca.useEventCounters(qp, counters);
    }
    return qp;
  }

  private static void join(QueuePair one, QueuePair other) {
    int mtu = Integer.highestOneBit(Math.min(one.hca().portMtuBytes(), other.hca().portMtuBytes()));
    one.modify(QpAttr.init(Access.ALL));
    other.modify(QpAttr.init(Access.ALL));
    one.modify(QpAttr.rtr().destLid(other.hca().lid()).destQpNum(other.qpNum()).rqPsn(FIRST_PSN).pathMtu(mtu));
    other.modify(QpAttr.rtr().destLid(one.hca().lid()).destQpNum(one.qpNum()).rqPsn(FIRST_PSN).pathMtu(mtu));
    one.modify(QpAttr.rts(FIRST_PSN));
    other.modify(QpAttr.rts(FIRST_PSN));
  }

  public SyncHome home() {
    return home;
  }

  public List<SyncClient> clients() {
    return clients;
  }
}
