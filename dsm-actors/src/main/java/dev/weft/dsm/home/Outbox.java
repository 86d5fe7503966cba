package dev.weft.dsm.home;

import dev.weft.dsm.wire.DsmMessage;

/** Sends messages to nodes, also to this node itself. Messages to one node stay in order. Messages to a lost node are dropped. */
@FunctionalInterface
public interface Outbox {
  void send(int node, DsmMessage message);
}
