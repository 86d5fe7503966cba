package dev.weft.hca;

import akka.actor.typed.ActorRef;

/** Tells an actor, which polls on its own thread: what the hardware thread does for each notification of a queue that belongs to an actor. */
record ActorNotice<T>(ActorRef<T> consumer, T message) implements CompletionHandler {
  @Override
  public void onCompletionEvent(CompletionQueue cq) {
    consumer.tell(message);
  }
}
