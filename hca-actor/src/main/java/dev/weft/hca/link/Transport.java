package dev.weft.hca.link;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.messaging.MessageHandler;

/** Carries a client's messages instead of the fabric. Any thread. */
public interface Transport extends AutoCloseable {
  /** Most data, in bytes, within a request or an answer; there is no other way for data. */
  int dataBytes();

  /**
   * Makes the connections of an actor.
   *
   * @param messageBytes longest message
   * @param owner told {@code notice} when {@link Dialer#service} is to be called
   * @param events told about the state of connections
   */
  <T> Dialer dialer(int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events);

  /** Closes all remaining connections. */
  @Override
  void close();
}
