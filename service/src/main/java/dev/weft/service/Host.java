package dev.weft.service;

import com.typesafe.config.Config;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import java.util.function.Consumer;

/** The JVM of a fabric in which a {@link Part} starts its roles. Only the thread that starts the parts may use it. */
public interface Host {
  /** The settings, overridden by the options of all parts. */
  Config config();

  /** This JVM's part of the fabric. */
  ClusterFabric fabric();

  /** A name that is unique among the fabric's processes: the process id, preceded by the address if the fabric has several hosts. */
  String processName();

  /**
   * Adds a node.
   *
   * @throws IllegalArgumentException if the name is taken
   */
  Node addNode(String name);

  /** Calls {@code listener} for each node of this JVM, and for each node added later. */
  void onNode(Consumer<Node> listener);

  /**
   * Lets another service put its device into a node, see {@link Running#equip}. Does nothing if the node has that device.
   *
   * @param service a service that this part's service {@linkplain Service#needs needs}
   * @throws CommandFailure if this JVM has no such service, or the service cannot add its device
   */
  void equip(String service, Node node);

  /** Registers a resource to close after the fabric is closed, when nothing uses it any more. Closing goes in reverse order of registration. */
  void afterwards(AutoCloseable resource);

  /**
   * Checks that the JVMs that this command has started are still running. Call it while waiting for something in them.
   *
   * @throws CommandFailure if a JVM has ended, with its reason
   */
  void checkMembers();
}
