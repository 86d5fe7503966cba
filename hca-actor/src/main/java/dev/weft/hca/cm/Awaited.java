package dev.weft.hca.cm;

import java.util.concurrent.CompletableFuture;

/** One connection that a program waits for. The program learns of the connection's end from its flushed requests. */
final class Awaited implements ConnectionObserver {
  final CompletableFuture<Connection> connection = new CompletableFuture<>();
  private final String peer;

  /** @param peer the requested connection, as an exception names it */
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
    // Nothing to do: the queue pair is in ERR, and its requests are flushed.
  }
}
