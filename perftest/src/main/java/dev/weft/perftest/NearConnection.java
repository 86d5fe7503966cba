package dev.weft.perftest;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.service.CommandFailure;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * The near side of one connection: queue pair, memory and the far side's answer. The memory has three areas of {@code slots} slots: for
 * messages to send, for incoming messages, and for messages that verification reads back. Made and closed on an application thread.
 */
final class NearConnection implements AutoCloseable {
  private static final int CONNECT_SECONDS = 20;

  private final Node node;
  private final String farName;
  final PerfMemory memory;
  final QueuePair qp;
  final long slotsBytes;
  final Handshake.Opened far;
  private final Connection connection;
  /** Address of datagrams; null for other types of queue pairs. */
  private final AddressHandle handle;

  NearConnection(Node node, String farName, ProtectionDomain pd, CompletionQueue cq, PerfParameters p) {
    this.node = node;
    this.farName = farName;
    slotsBytes = (long) p.strideBytes() * p.slots();
    memory = new PerfMemory(node.hca(), pd, 3 * slotsBytes);
    QueuePair created = null;
    try {
      int receives = p.operation().needsReceives() && p.test().isPingPong() ? 4 : 0;
      int sends = p.verify() ? 2 * p.depth() : p.depth();
      created = node.hca().createQp(pd,
          new QpInitAttr(cq, cq, Math.max(sends, 64), receives, 1, 1, p.isInline() ? p.inlineBytes() : 0, false).withType(p.type()));
      Handshake.Open open = new Handshake.Open(p.test(), p.type(), p.verify(), p.sizeBytes(), p.depth(), p.slots(), p.strideBytes(),
          p.isInline() ? p.inlineBytes() : 0, inAddr(0, p), memory.region.rkey());
      Established established = connect(node, farName, PerfService.SERVICE, created, options(node, p.depth()), open.encode());
      connection = established.connection();
      far = Handshake.Opened.decode(established.privateData());
      handle = p.type() == QpType.UD ? addressOf(pd, p.sizeBytes()) : null;
    } catch (RuntimeException refused) {
      if (created != null) {
        node.hca().destroyQp(created);
      }
      memory.close();
      throw refused;
    }
    qp = created;
  }

  private AddressHandle addressOf(ProtectionDomain pd, int sizeBytes) {
    int most = node.hca().datagramMaxBytes(connection.peerLid());
    if (sizeBytes > most) {
      connection.disconnect();
      throw new CommandFailure("a datagram to node " + farName + " is one packet of at most " + most + " bytes, not " + sizeBytes);
    }
    return node.hca().createAh(pd, connection.peerLid(), 0);
  }

  /** Returns the largest payload of a packet in bytes. */
  int pathMtuBytes() {
    return handle == null ? qp.query().pathMtu() : node.hca().datagramMaxBytes(handle.destLid());
  }

  /** Sets the destination of a request, if the queue pair is one for datagrams. */
  void address(WorkRequest wr) {
    if (handle != null) {
      wr.to(handle, connection.peerQpNum(), ConnectionManager.DATAGRAM_QKEY);
    }
  }

  /** Returns the options with which both sides connect for {@code depth} outstanding messages. */
  static ConnectionOptions options(Node node, int depth) {
    return ConnectionOptions.DEFAULT.withRdAtomic(Math.min(Math.max(depth, 1), node.hca().settings().rdAtomicMax()));
  }

  long outOffset(long slot, PerfParameters p) {
    return slot * p.strideBytes();
  }

  long inOffset(long slot, PerfParameters p) {
    return slotsBytes + slot * p.strideBytes();
  }

  long checkOffset(long slot, PerfParameters p) {
    return 2 * slotsBytes + slot * p.strideBytes();
  }

  private long inAddr(long slot, PerfParameters p) {
    return memory.region.addr() + inOffset(slot, p);
  }

  /** Asks the far side for its counts. */
  Handshake.Report report(ProtectionDomain pd, CompletionQueue cq) {
    QueuePair stub = node.hca().createQp(pd, new QpInitAttr(cq, cq, 1, 0, 1, 1, 0, false));
    try {
      connect(node, farName, PerfService.REPORT_SERVICE, stub, ConnectionOptions.DEFAULT, Handshake.encodeQuery(far.session()));
      throw new IllegalStateException(PerfService.REPORT_SERVICE + " accepted a connection");
    } catch (Rejected answer) {
      if (answer.reason != RejectReason.CONSUMER) {
        throw answer;
      }
      return Handshake.Report.decode(answer.privateData);
    } finally {
      node.hca().destroyQp(stub);
    }
  }

  @Override
  public void close() {
    connection.disconnect();
    if (handle != null) {
      node.hca().destroyAh(handle);
    }
    node.hca().destroyQp(qp);
    memory.close();
  }

  record Established(Connection connection, byte[] privateData) {}

  /** The far side, or the fabric on its behalf, refused the connection. */
  static final class Rejected extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient RejectReason reason;
    final transient byte[] privateData;

    Rejected(String message, RejectReason reason, byte[] privateData) {
      super(message, null, false, false);
      this.reason = reason;
      this.privateData = privateData;
    }
  }

  static Established connect(Node node, String farName, String service, QueuePair qp, ConnectionOptions options, byte[] data) {
    CompletableFuture<Established> result = new CompletableFuture<>();
    node.cm().connect(farName, service, qp, options, data, new ConnectionObserver() {
      @Override
      public void onEstablished(Connection connection, byte[] privateData) {
        result.complete(new Established(connection, privateData));
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {
        result.completeExceptionally(new Rejected("node " + farName + " refused " + service + ": " + reason + " "
            + new String(privateData, StandardCharsets.UTF_8), reason, privateData));
      }

      @Override
      public void onDisconnected(Connection connection, boolean nodeLost) {
        result.completeExceptionally(new CommandFailure("node " + farName + (nodeLost ? " left the fabric" : " disconnected")));
      }
    });
    try {
      return result.orTimeout(CONNECT_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException refused) {
        throw refused;
      }
      throw new CommandFailure("no connection to " + service + " of node " + farName + " within " + CONNECT_SECONDS + " s", e);
    }
  }
}
