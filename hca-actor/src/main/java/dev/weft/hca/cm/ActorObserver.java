package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;

/** Sends the events of a connection to an actor. The connection manager watches the actor: if it ends, so do its connections. */
record ActorObserver(ActorRef<ConnectionEvent> consumer, Object context) implements ConnectionObserver {
  @Override
  public void onEstablished(Connection connection, byte[] privateData) {
    consumer.tell(new ConnectionEvent.Established(context, connection, privateData));
  }

  @Override
  public void onRejected(RejectReason reason, byte[] privateData) {
    consumer.tell(new ConnectionEvent.Rejected(context, reason, privateData));
  }

  @Override
  public void onDisconnected(Connection connection, boolean nodeLost) {
    consumer.tell(new ConnectionEvent.Disconnected(context, connection, nodeLost));
  }
}
