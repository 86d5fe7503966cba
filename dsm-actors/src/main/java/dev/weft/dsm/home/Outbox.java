package dev.weft.dsm.home;

import dev.weft.dsm.wire.DsmMessage;

/** Takes messages to nodes, the own one included; those to one node stay in order. What is for a lost node is dropped. */
@FunctionalInterface
public interface Outbox {
  void send(int node, DsmMessage message);
}
