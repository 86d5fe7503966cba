package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;

/** Tells an actor what becomes of a connection. The connection manager watches the actor: what it leaves behind is ended. */
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
