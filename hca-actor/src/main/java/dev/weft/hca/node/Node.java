package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.verbs.Hca;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A handle to one host of the fabric. Any thread. */
public interface Node {
  String name();

  /** The verbs interface. */
  Hca hca();

  ConnectionManager cm();

  /** The nodes of the fabric that this one belongs to. */
  Directory directory();

  /** Clock, timers and randomness of the fabric that this node belongs to. */
  FabricContext context();

  /**
   * Joins a multicast group. The group exists while it has a member. {@link Hca#attachMulticast} attaches queue pairs. Joins are counted: each needs
   * its own {@link #leaveMulticast}.
   *
   * @param group 1 to 64 characters
   * @param sendOnly true to get only the address to send to, without receiving the group's packets
   * @return completes with the group's multicast LID, or fails with a {@link dev.weft.hca.verbs.VerbsException}
   */
  CompletionStage<Integer> joinMulticast(String group, boolean sendOnly);

  /** Undoes one join with the same {@code sendOnly}. */
  void leaveMulticast(String group, boolean sendOnly);

  /**
   * Returns the actors that this node watches, for inspection: its HCA, its connection manager and its roles. If the HCA or the connection manager
   * fails, the node closes the HCA ({@link Hca#close}: DEVICE_FATAL, all outstanding requests are flushed) and notifies the peers. A role that fails
   * ends alone. A failed actor stays in this list until another of its name starts.
   */
  List<NodeElement> elements();

  /**
   * Starts a hardware actor, such as a NIC, under this node on the hardware dispatcher. In virtual time no processor of the host charges for it. An
   * exception ends the actor; {@link #elements} shows it.
   *
   * @throws IllegalArgumentException if a role of that name already runs on this node, or if Akka rejects the name
   * @throws IllegalStateException if the hardware thread does not start it within {@code weft.hca.control-timeout}, or if this thread is
   *     interrupted before that; the actor does not start later either
   */
  <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName);

  /**
   * Like {@link #spawnRole(Behavior, String)}, for a role of a protocol, which runs in {@code context}. In virtual time the processors of the host, if
   * it has any, charge for it.
   */
  <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName, RoleContext context);
}
