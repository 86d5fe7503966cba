package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.Hca;
import dev.weft.hca.cm.ConnectionManager;

/** Handle on one host of the fabric. Any thread. */
public interface Node {
  String name();

  /** The verbs interface. */
  Hca hca();

  ConnectionManager cm();

  /** Clock, timers and randomness of the fabric this node belongs to. */
  FabricContext context();

  /** Starts a role actor under this node, on the hardware dispatcher. */
  <T> ActorRef<T> spawnRole(Behavior<T> behavior, String roleName);
}
