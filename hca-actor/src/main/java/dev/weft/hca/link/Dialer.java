package dev.weft.hca.link;

import dev.weft.hca.messaging.MessageChannel;

/** The connections of an actor to the services that it calls. On its thread. */
public interface Dialer {
  /**
   * Begins to connect. A {@link dev.weft.hca.cm.ConnectionEvent} reports the result; send nothing before it.
   *
   * @param hello first message to the service
   * @param context comes back in the event
   * @throws dev.weft.hca.verbs.VerbsException or OutOfMemoryError if there is no room for a connection
   */
  MessageChannel connect(String node, String service, byte[] hello, Object context);

  /** Handles received messages, at most {@code budget}; if there are more, the owner is told again. */
  void service(int budget);

  /** Closes all channels. */
  void close();
}
