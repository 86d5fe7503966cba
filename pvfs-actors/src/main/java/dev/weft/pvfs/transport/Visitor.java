package dev.weft.pvfs.transport;

import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pvfs.wire.NoEntry;

/** A client that wants to be let in: {@link #accept} or {@link #reject}, one of them, once. On the thread of the actor that was told of it. */
public interface Visitor {
  /** Where it is: its node, or a text that no node has as its name. The same whenever it comes. */
  String peer();

  /** What it said. */
  byte[] hello();

  /** Data that a message to it, or from it, may have. */
  int dataBytes();

  /**
   * A channel for it; to be closed if it is not accepted.
   *
   * @throws dev.weft.hca.verbs.VerbsException or OutOfMemoryError if there is no room
   */
  MessageChannel open();

  /**
   * Lets it in.
   *
   * @param hello what it is told
   * @param context goes with {@link dev.weft.hca.cm.ConnectionEvent}s, of which there may be none
   */
  void accept(MessageChannel channel, byte[] hello, Object context);

  void reject(NoEntry why);
}
