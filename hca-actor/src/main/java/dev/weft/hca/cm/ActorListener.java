package dev.weft.hca.cm;

import akka.actor.typed.ActorRef;

/** Sends connection requests to an actor. The connection manager watches the actor: if it ends, its unanswered requests are rejected. */
record ActorListener(ActorRef<ConnectionRequest> consumer) implements ConnectionListener {
  @Override
  public void onConnectRequest(ConnectionRequest request) {
    consumer.tell(request);
  }
}
