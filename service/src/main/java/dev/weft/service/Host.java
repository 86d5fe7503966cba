package dev.weft.service;

import com.typesafe.config.Config;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import java.util.function.Consumer;

/** The JVM of a fabric that a {@link Part} starts its roles in. Used by the thread that starts the parts. */
public interface Host {
  /** Settings with the options of all parts laid over them. */
  Config config();

  /** This JVM's part of the fabric. */
  ClusterFabric fabric();

  /** Differs from that of any other process of the fabric: the process id, with the address before it where there are several hosts. */
  String processName();

  /**
   * Adds a node.
   *
   * @throws IllegalArgumentException if the name is taken
   */
  Node addNode(String name);

  /** Calls {@code listener} for each node that this JVM has, and for each that is added later. */
  void onNode(Consumer<Node> listener);

  /**
   * Lets another service put its device into a node, see {@link Running#equip}. Does nothing where the node has one.
   *
   * @param service one of those that this part's service {@linkplain Service#needs needs}
   * @throws CommandFailure if there is no such service in this JVM, or it cannot
   */
  void equip(String service, Node node);

  /** Closes {@code resource} when the fabric is closed and nothing uses it any more, the last one first. */
  void afterwards(AutoCloseable resource);

  /**
   * Looks whether the JVMs that this command has started live, for who waits for something in them.
   *
   * @throws CommandFailure with the reason of one that has ended
   */
  void checkMembers();
}
