package dev.weft.hca.cm;

import java.util.concurrent.CompletableFuture;

/** One connection that somebody waits for, who learns of its end from the requests that are flushed then. */
final class Awaited implements ConnectionObserver {
  final CompletableFuture<Connection> connection = new CompletableFuture<>();
  private final String peer;

  /** @param peer what an exception says was asked for */
  Awaited(String peer) {
    this.peer = peer;
  }

  @Override
  public void onEstablished(Connection established, byte[] privateData) {
    connection.complete(established);
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    connection.completeExceptionally(new ConnectionRejectedException(peer, reason, privateData));
  }

  @Override
  public void onDisconnected(Connection ended, boolean nodeLost) {
    // The queue pair is in ERR.
  }
}
