package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.RejectReason;
import dev.weft.pager.wire.Handshake;

/** Passes on what becomes of one attempt to connect. */
record LinkObserver(ActorRef<PagerClientActor.Command> client, ServerLink link, int attempt) implements ConnectionObserver {
  @Override
  public void onEstablished(Connection connection, byte[] privateData) {
    // At once and not by the message: the client may stop before it reads that, and has to disconnect what it holds.
    if (link.isGone) {
      connection.disconnect();
    } else if (attempt == link.attempt) {
      link.connection = connection;
      client.tell(new PagerClientActor.Established(link, attempt, privateData));
    }
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    Handshake.Denial denial = reason == RejectReason.CONSUMER ? Handshake.Denial.decode(privateData) : null;
    // Who is not in the fabric, or has no such service, has stopped, and with him what he held.
    boolean isGone = reason == RejectReason.UNKNOWN_NODE || reason == RejectReason.INVALID_SERVICE_ID
        || denial != null && denial.reason() == Handshake.Refusal.UNKNOWN_AREA;
    client.tell(new PagerClientActor.Lost(link, attempt, why(reason, denial), isGone));
  }

  private static String why(RejectReason reason, Handshake.Denial denial) {
    if (denial == null) {
      return "connection refused: " + reason;
    }
    return denial.reason() == Handshake.Refusal.UNKNOWN_AREA ? "it does not hold the area any more: it has started anew, or given it up"
        : "refused: " + denial.reason() + ", it could lend " + denial.freeBytes() + " bytes";
  }

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {
    client.tell(new PagerClientActor.Lost(link, attempt, nodeLost ? "its node was lost" : "it disconnected", nodeLost));
  }
}
