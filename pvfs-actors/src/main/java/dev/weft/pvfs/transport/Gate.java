package dev.weft.pvfs.transport;

import akka.actor.typed.ActorRef;
import dev.weft.hca.messaging.MessageHandler;

/** Lets clients in that are not of the fabric. Any thread. */
public interface Gate {
  /** Lets nobody in. */
  Gate NONE = new Gate() {
    @Override
    public int dataBytes() {
      return 0;
    }

    @Override
    public <T> Door open(String node, String service, int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<Visitor> visitors) {
      return Door.NONE;
    }
  };

  /** Data that a request, or an answer, may have with it; there is no other way for data. */
  int dataBytes();

  /**
   * Offers a service.
   *
   * @param node whose it is
   * @param messageBytes longest message
   * @param handler of all channels
   * @param owner told {@code notice} when {@link Door#service} is to be called
   * @param visitors told of who wants to be let in
   */
  <T> Door open(String node, String service, int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<Visitor> visitors);
}
