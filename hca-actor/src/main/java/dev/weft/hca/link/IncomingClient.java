package dev.weft.hca.link;

import dev.weft.hca.messaging.MessageChannel;

/** A client that asks to be accepted. Call {@link #accept} or {@link #reject} once, on the thread of the actor that was told of it. */
public interface IncomingClient {
  /** Where the client is: the name of its node, or a text that is no node's name. The same each time the client connects. */
  String peer();

  /** The client's first message. */
  byte[] hello();

  /** Most data, in bytes, within a message to the client or from it. */
  int dataBytes();

  /**
   * Opens a channel for the client. If the client is not accepted, close it.
   *
   * @throws dev.weft.hca.verbs.VerbsException or OutOfMemoryError if there is no room
   */
  MessageChannel open();

  /**
   * Accepts the client.
   *
   * @param hello first message to the client
   * @param context comes back in the channel's {@link dev.weft.hca.cm.ConnectionEvent}s, if it has any
   */
  void accept(MessageChannel channel, byte[] hello, Object context);

  /** Rejects the client; {@code why} is the service's reason. */
  void reject(byte[] why);
}
