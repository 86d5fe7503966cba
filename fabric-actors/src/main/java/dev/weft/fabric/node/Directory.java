package dev.weft.fabric.node;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What this JVM knows of the nodes of the fabric. In real time the subnet manager keeps it up to date through the cluster;
 * in virtual time the simulation fills it in. Reads from any thread.
 */
public interface Directory {
  Optional<NodeEntry> lookup(String nodeName);

  /** All nodes, ordered by LID. */
  List<NodeEntry> nodes();

  /**
   * Calls {@code listener} with the name of each node that leaves or is lost, from the thread that applies the change, until the
   * subscription is cancelled.
   */
  Subscription onNodeLost(Consumer<String> listener);

  /** A listener's place. */
  @FunctionalInterface
  interface Subscription {
    /** No call begins after this returns. Any thread; idempotent. */
    void cancel();
  }
}
