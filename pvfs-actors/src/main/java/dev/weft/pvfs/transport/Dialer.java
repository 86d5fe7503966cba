package dev.weft.pvfs.transport;

import dev.weft.hca.messaging.MessageChannel;

/** The connections of an actor to those it calls. On its thread. */
public interface Dialer {
  /**
   * Begins to connect; a {@link dev.weft.hca.cm.ConnectionEvent} tells of the end. Nothing may be sent before that.
   *
   * @param hello what the other side is told
   * @param context goes with the event
   * @throws dev.weft.hca.verbs.VerbsException or OutOfMemoryError if there is no room for a connection
   */
  MessageChannel connect(String node, String service, byte[] hello, Object context);

  /** Handles what has come, {@code budget} messages at most; the owner is told again if there is more. */
  void service(int budget);

  /** Closes all channels. */
  void close();
}
