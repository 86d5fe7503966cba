package dev.weft.pvfs.manager;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pvfs.wire.MetaReply;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A client, over all of its connections. */
final class ManagerSession {
  final long id;
  final String node;
  /** Tells it from one of the same number that the client had before. */
  final long incarnation;
  private final int credits;
  /** Its last answers, for requests that it repeats because a connection was lost. */
  private final Map<Long, MetaReply> answered = new LinkedHashMap<>();
  /** Asked for on this connection, and not answered. */
  private final Set<Long> asked = new HashSet<>();
  boolean isLeaving;
  /** That wait for a send buffer. */
  final ArrayDeque<MetaReply> answering = new ArrayDeque<>();
  MessageChannel channel;
  Connection connection;
  long keptUntilNs;
  long requests;

  ManagerSession(long id, String node, long incarnation, int credits) {
    this.id = id;
    this.node = node;
    this.incarnation = incarnation;
    this.credits = credits;
  }

  /** Null if the request was not answered before. */
  MetaReply answered(long request) {
    return answered.get(request);
  }

  /** False if it asks for more at a time than it may. */
  boolean ask(long request) {
    return asked.size() < credits && asked.add(request);
  }

  /** An answer that may be sent. If the request came on a connection that is lost, it waits until it is asked for again. */
  void answer(MetaReply reply) {
    if (asked.remove(reply.id())) {
      answering.add(reply);
    }
  }

  /** For a client that asks again, because its connection was lost. */
  void remember(MetaReply reply) {
    answered.put(reply.id(), reply);
    if (answered.size() > credits) { // No more can have been lost with a connection.
      answered.remove(answered.keySet().iterator().next());
    }
  }

  /** A new connection: the client asks again for what it has no answer to. */
  void connected(MessageChannel to) {
    channel = to;
    asked.clear();
    answering.clear();
  }

  boolean isConnected() {
    return channel != null;
  }

  /** Sends what may be sent, as far as there are buffers. */
  void flush() {
    while (isConnected() && !answering.isEmpty()) {
      int slot = channel.reserve();
      if (slot == MessageChannel.NO_BUFFER) {
        return;
      }
      ByteBuffer to = channel.buffers().asSlice(channel.offset(slot), MetaReply.BYTES_MAX).asByteBuffer();
      answering.poll().encode(to);
      channel.send(slot, to.position(), true);
    }
  }

  /** Ends its connection; false if it had none. */
  boolean disconnect() {
    boolean wasConnected = isConnected();
    if (wasConnected) {
      channel.close();
      channel = null;
    }
    if (connection != null) {
      connection.disconnect();
      connection = null;
    }
    return wasConnected;
  }
}
