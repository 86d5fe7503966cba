package dev.weft.pvfs.transport;

import akka.actor.typed.ActorRef;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.messaging.MessageHandler;

/** Carries a client's messages in place of the fabric. Any thread. */
public interface Transport extends AutoCloseable {
  /** Data that a request, or an answer, may have with it; there is no other way for data. */
  int dataBytes();

  /**
   * Connections of an actor.
   *
   * @param messageBytes longest message
   * @param owner told {@code notice} when {@link Dialer#service} is to be called
   * @param events told what becomes of connections
   */
  <T> Dialer dialer(int messageBytes, MessageHandler handler, ActorRef<T> owner, T notice, ActorRef<ConnectionEvent> events);

  /** Ends what is left. */
  @Override
  void close();
}
