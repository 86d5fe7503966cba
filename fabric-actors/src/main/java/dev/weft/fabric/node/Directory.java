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

  /** What a service offers at nodes, a moment old. A node that is named may have left since. */
  default List<Advert> adverts(String service) {
    return List.of();
  }

  /** Largest payload in bytes of packets on the way to a node, as far as this JVM knows; a bound, perhaps no power of two. */
  default int pathMtuTo(String nodeName) {
    return Integer.MAX_VALUE;
  }

  /**
   * The same for the port of a LID. For the LID of a multicast group it is what reaches every JVM: members come and go, and a packet
   * that a trunk cannot carry is discarded there without a word.
   */
  default int pathMtuToLid(int lid) {
    return Integer.MAX_VALUE;
  }

  /** Whether this JVM has left the fabric: all nodes are lost then, its own among them, and none comes any more. */
  default boolean hasLeft() {
    return false;
  }

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
