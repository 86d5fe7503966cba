package dev.weft.fabric.node;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What this JVM knows of the nodes of the fabric. In real time, the subnet manager keeps it up to date through the cluster; in virtual
 * time, the simulation fills it in. Any thread may read it.
 */
public interface Directory {
  Optional<NodeEntry> lookup(String nodeName);

  /** All nodes, ordered by LID. */
  List<NodeEntry> nodes();

  /** Returns the adverts of a service at all nodes. They may be slightly out of date: a node that they name may have left. */
  default List<Advert> adverts(String service) {
    return List.of();
  }

  /** Returns the largest payload in bytes of a packet to a node, as far as this JVM knows. It is an upper bound and need not be a power of two. */
  default int pathMtuTo(String nodeName) {
    return Integer.MAX_VALUE;
  }

  /**
   * Returns the same for the port with a LID. For a multicast LID, it is the payload that reaches every JVM: members come and go, and a
   * trunk silently discards a packet that is too long for it.
   */
  default int pathMtuToLid(int lid) {
    return Integer.MAX_VALUE;
  }

  /** Whether this JVM has left the fabric. All nodes, also its own, are then lost, and no node is added any more. */
  default boolean hasLeft() {
    return false;
  }

  /**
   * Calls {@code listener} with the name of each node that leaves or is lost, until the subscription is cancelled. The call comes on the
   * thread that applies the change.
   */
  Subscription onNodeLost(Consumer<String> listener);

  /** The registration of a listener. */
  @FunctionalInterface
  interface Subscription {
    /** No call begins after this returns. Any thread; idempotent. */
    void cancel();
  }
}
