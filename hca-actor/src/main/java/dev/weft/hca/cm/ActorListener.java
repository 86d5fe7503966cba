package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;

/** Tells an actor of connection requests. The connection manager watches it: requests that it leaves unanswered are rejected. */
record ActorListener(ActorRef<ConnectionRequest> consumer) implements ConnectionListener {
  @Override
  public void onConnectRequest(ConnectionRequest request) {
    consumer.tell(request);
  }
}
