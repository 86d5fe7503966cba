package dev.weft.pager.client;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.AreaName;
import dev.weft.pager.wire.Handshake.Purpose;

/** Releases an area at a server without a connection to it: by a connection request, which the server rejects after it has freed the area. */
final class AreaRelease implements ConnectionObserver {
  private final Hca hca;
  private final ProtectionDomain pd;
  private final CompletionQueue cq;
  private final QueuePair qp;

  private AreaRelease(Hca hca) {
    this.hca = hca;
    pd = hca.allocPd();
    cq = hca.createCq(1, ReceiveContext.POLLING, null);
    qp = hca.createQp(pd, QpInitAttr.of(cq, 1));
  }

  /** Sends the release, without a guarantee: a server that does not receive it keeps the area for its {@code keep-time}. Any thread. */
  static void send(Node node, ServerSpec server, AreaName area, ConnectionOptions options) {
    AreaRelease release;
    try {
      release = new AreaRelease(node.hca());
    } catch (VerbsException noRoom) {
      return;
    }
    byte[] wish = new Handshake.Wish(Purpose.RELEASE, area, server.areaBytes(), 1, 0, 0, MailboxAddress.NONE).encode();
    try {
      node.cm().connect(server.node(), server.service(), release.qp, options, wish, release);
    } catch (VerbsException closed) {
      release.end(); // This node is leaving the fabric; the server learns of that too.
    }
  }

  private void end() {
    hca.destroyQp(qp);
    hca.destroyCq(cq);
    hca.deallocPd(pd);
  }

  @Override
  public void onEstablished(Connection connection, byte[] privateData) {
    connection.disconnect(); // The server does not know this kind of request.
    end();
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    end();
  }

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {}
}
