package dev.weft.hca.completion;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CompletionQueue;

/** Sends a message to the actor that owns a queue, from the hardware thread, for each notification. The actor polls on its own thread. */
public record ActorNotice<T>(ActorRef<T> consumer, T message) implements CompletionHandler {
  @Override
  public void onCompletionEvent(CompletionQueue cq) {
    consumer.tell(message);
  }
}
