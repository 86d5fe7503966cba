package dev.weft.lab.seed004;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.CompletionQueue;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QueuePair;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The near end of a connection to a {@link NetVmService}: a queue pair, memory here, and memory there. */
final class NetVmEnd implements AutoCloseable {
  static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT;
  static final int DEPTH = 64;
  private static final int CONNECT_SECONDS = 20;

  private final Hca hca;
  private final ProtectionDomain pd;
  final NetVmHost.Lent local;
  final QueuePair qp;
  private Connection connection;
  final long remote;
  final int rkey;

  /**
   * Connects; all memory is there when this returns, as far as it fits.
   *
   * @param unpinned whether the memory of both ends is
   */
  NetVmEnd(Node near, String far, CompletionQueue cq, NetVmHost host, boolean unpinned, long localBytes, NetVmWire.Open open) {
    hca = near.hca();
    pd = hca.allocPd();
    local = host.lend(pd, unpinned, localBytes);
    local.touch(pd);
    qp = hca.createQp(pd, QpInitAttr.of(cq, DEPTH));
    Established made = connect(near, far, NetVmWire.SERVICE, qp, open.encode());
    connection = made.connection;
    NetVmWire.Opened there = NetVmWire.Opened.decode(made.said);
    remote = there.addr();
    rkey = there.rkey();
  }

  /** Asks what the far side has counted. */
  static NetVmWire.Report report(Node near, String far, CompletionQueue cq) {
    ProtectionDomain pd = near.hca().allocPd();
    QueuePair stub = near.hca().createQp(pd, QpInitAttr.of(cq, 1));
    try {
      connect(near, far, NetVmWire.REPORT_SERVICE, stub, new byte[0]);
      throw new IllegalStateException(NetVmWire.REPORT_SERVICE + " accepted a connection");
    } catch (Rejected answer) {
      return NetVmWire.Report.decode(answer.said);
    } finally {
      near.hca().destroyQp(stub);
      near.hca().deallocPd(pd);
    }
  }

  private record Established(Connection connection, byte[] said) {}

  private static final class Rejected extends RuntimeException {
    private static final long serialVersionUID = 1L;
    final transient byte[] said;

    Rejected(String message, byte[] said) {
      super(message, null, false, false);
      this.said = said;
    }
  }

  private static Established connect(Node node, String far, String service, QueuePair qp, byte[] data) {
    CompletableFuture<Established> result = new CompletableFuture<>();
    node.cm().connect(far, service, qp, OPTIONS, data, new ConnectionObserver() {
      @Override
      public void onEstablished(Connection made, byte[] privateData) {
        result.complete(new Established(made, privateData));
      }

      @Override
      public void onRejected(RejectReason reason, byte[] privateData) {
        result.completeExceptionally(new Rejected("node " + far + " refused " + service + ": " + reason + " "
            + new String(privateData, StandardCharsets.UTF_8), privateData));
      }

      @Override
      public void onDisconnected(Connection ended, boolean nodeLost) {}
    });
    try {
      return result.get(CONNECT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Rejected refused) {
        throw refused;
      }
      throw new IllegalStateException("no connection to " + service + " of node " + far, e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("no connection to " + service + " of node " + far + " within " + CONNECT_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while connecting to " + service + " of node " + far, e);
    }
  }

  @Override
  public void close() {
    connection.disconnect();
    hca.destroyQp(qp);
    local.close();
    hca.deallocPd(pd);
  }
}
