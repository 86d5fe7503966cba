package dev.weft.hca.node;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What a connection manager says to one side. */
final class Said implements ConnectionObserver {
  private static final int PATIENCE_S = 20;

  final CompletableFuture<Connection> established = new CompletableFuture<>();
  final CompletableFuture<RejectReason> rejected = new CompletableFuture<>();
  final CompletableFuture<Boolean> disconnected = new CompletableFuture<>();

  /** Connects a to b through the service {@code echo} of b, which must not be there yet, and waits for both sides. */
  static void connect(FabricBed a, Said atA, FabricBed b, Said atB) throws Exception {
    b.node.cm().listen("echo", request -> request.accept(b.qp, ConnectionOptions.DEFAULT, null, atB));
    a.node.cm().connect(b.node.name(), "echo", a.qp, ConnectionOptions.DEFAULT, null, atA);
    atA.established.get(PATIENCE_S, TimeUnit.SECONDS);
    atB.established.get(PATIENCE_S, TimeUnit.SECONDS);
  }

  @Override
  public void onEstablished(Connection connection, byte[] privateData) {
    established.complete(connection);
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    rejected.complete(reason);
    established.completeExceptionally(new IllegalStateException("rejected: " + reason));
  }

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {
    disconnected.complete(nodeLost);
  }
}
