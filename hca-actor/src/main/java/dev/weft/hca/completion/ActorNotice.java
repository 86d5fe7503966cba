package dev.weft.hca.completion;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;

/** Tells an actor, which polls on its own thread: what the hardware thread does for each notification of a queue that belongs to an actor. */
public record ActorNotice<T>(ActorRef<T> consumer, T message) implements CompletionHandler {
  @Override
  public void onCompletionEvent(CompletionQueue cq) {
    consumer.tell(message);
  }
}
