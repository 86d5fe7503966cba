package dev.weft.pvfs.manager;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pvfs.wire.MetaReply;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/** A client, over all of its connections. */
final class ManagerSession {
  final long id;
  final String node;
  private final int credits;
  /** Its last answers, for requests that it repeats because a connection was lost. */
  private final Map<Long, MetaReply> answered = new LinkedHashMap<>();
  /** That wait for a send buffer. */
  final ArrayDeque<MetaReply> answering = new ArrayDeque<>();
  MessageChannel channel;
  Connection connection;
  long keptUntilNs;
  long requests;

  ManagerSession(long id, String node, int credits) {
    this.id = id;
    this.node = node;
    this.credits = credits;
  }

  /** Null if the request was not answered before. */
  MetaReply answered(long request) {
    return answered.get(request);
  }

  void remember(MetaReply reply) {
    answered.put(reply.id(), reply);
    if (answered.size() > 2 * credits) {
      answered.remove(answered.keySet().iterator().next());
    }
  }

  void forget(long request) {
    answered.remove(request);
  }

  boolean isConnected() {
    return channel != null;
  }
}
