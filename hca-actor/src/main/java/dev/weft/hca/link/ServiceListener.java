package dev.weft.hca.link;

import akka.actor.typed.ActorRef;
import dev.weft.hca.messaging.MessageHandler;

/** Accepts clients that are not in the fabric. Any thread. */
public interface ServiceListener {
  /** Accepts nobody. */
  ServiceListener NONE = new ServiceListener() {
    @Override
    public int dataBytes() {
      return 0;
    }

    @Override
    public <T> Acceptor open(String node, String service, int messageBytes, MessageHandler handler,
        ActorRef<T> owner, T notice, ActorRef<IncomingClient> clients) {
      return Acceptor.NONE;
    }
  };

  /** Most data, in bytes, within a request or an answer: such a client has no RDMA. */
  int dataBytes();

  /**
   * Offers a service.
   *
   * @param node that the service runs on
   * @param messageBytes longest message
   * @param handler of all channels
   * @param owner told {@code notice} when {@link Acceptor#service} is to be called
   * @param clients told of each client that asks to be accepted
   */
  <T> Acceptor open(String node, String service, int messageBytes, MessageHandler handler,
      ActorRef<T> owner, T notice, ActorRef<IncomingClient> clients);
}
