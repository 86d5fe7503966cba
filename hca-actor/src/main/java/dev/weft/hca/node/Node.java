package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.verbs.Hca;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Handle on one host of the fabric. Any thread. */
public interface Node {
  String name();

  /** The verbs interface. */
  Hca hca();

  ConnectionManager cm();

  /** The nodes of the fabric that this one belongs to. */
  Directory directory();

  /** Clock, timers and randomness of the fabric this node belongs to. */
  FabricContext context();

  /**
   * Joins a multicast group, which exists while somebody has joined it. Queue pairs are attached with {@link Hca#attachMulticast}. Joins
   * are counted.
   *
   * @param group 1 to 64 characters
   * @param sendOnly to learn where to send to, and get nothing
   * @return completed with the group's multicast LID, or exceptionally with a {@link dev.weft.hca.verbs.VerbsException}
   */
  CompletionStage<Integer> joinMulticast(String group, boolean sendOnly);

  /** Takes back one join of the same kind. */
  void leaveMulticast(String group, boolean sendOnly);

  /**
   * The actors of this node that it watches, for inspection: its HCA, its connection manager, its roles. When the HCA or the connection manager
   * fails, the HCA is closed ({@link Hca#close}: DEVICE_FATAL, whatever is outstanding is flushed) and the peers are told. A role that fails
   * ends alone. One that failed stays in this list until another of its name is started.
   */
  List<NodeElement> elements();

  /**
   * Starts an actor of the hardware under this node, such as a NIC: on the hardware dispatcher; in virtual time no processor of the host
   * charges for it. What it throws ends it, and is shown by {@link #elements}.
   *
   * @throws IllegalArgumentException if a role of that name runs on this node already, or Akka takes the name for none
   * @throws IllegalStateException if the hardware thread does not take it up within {@code weft.hca.control-timeout}, or this thread is
   *     interrupted before that; it is not started later
   */
  <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName);

  /** The same for a role of a protocol, which runs in {@code context}; in virtual time the processors of the host, if it has any, charge for it. */
  <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName, RoleContext context);
}
