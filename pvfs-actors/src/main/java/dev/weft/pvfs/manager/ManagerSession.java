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

/** A client, across all of its connections. */
final class ManagerSession {
  final long id;
  final String node;
  /** Distinguishes it from an earlier session with the same number. */
  final long incarnation;
  private final int credits;
  /** Its latest answers, for requests that it repeats after a lost connection. */
  private final Map<Long, MetaReply> answered = new LinkedHashMap<>();
  /** Requests of this connection without an answer. */
  private final Set<Long> asked = new HashSet<>();
  boolean isLeaving;
  /** Answers that wait for a send buffer. */
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

  /** Returns the session of a channel. */
  static ManagerSession of(MessageChannel channel) {
    return (ManagerSession) channel.attachment();
  }

  /** Returns null if the request was not answered before. */
  MetaReply answered(long request) {
    return answered.get(request);
  }

  /** Returns false if the client exceeds its credits. */
  boolean ask(long request) {
    return asked.size() < credits && asked.add(request);
  }

  /** Queues an answer for sending. If its request came on a lost connection, the answer waits until the client repeats it. */
  void answer(MetaReply reply) {
    if (asked.remove(reply.id())) {
      answering.add(reply);
    }
  }

  /** Keeps an answer for a client that repeats its request after a lost connection. */
  void remember(MetaReply reply) {
    answered.put(reply.id(), reply);
    if (answered.size() > credits) { // A lost connection cannot have lost more.
      answered.remove(answered.keySet().iterator().next());
    }
  }

  /** Takes a new connection: the client repeats its unanswered requests. */
  void connected(MessageChannel to) {
    channel = to;
    asked.clear();
    answering.clear();
  }

  boolean isConnected() {
    return channel != null;
  }

  /** Sends answers, as far as there are buffers. */
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

  /** Closes its connection; returns false if it had none. */
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
