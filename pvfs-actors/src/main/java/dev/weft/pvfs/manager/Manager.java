package dev.weft.pvfs.manager;

import akka.actor.typed.ActorRef;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;

/** The manager of a file system, at one node. Any thread. */
public final class Manager {
  private final ActorRef<ManagerActor.Command> actor;

  private Manager(ActorRef<ManagerActor.Command> actor) {
    this.actor = actor;
  }

  /**
   * Starts one; it owns {@code handler}, and closes it.
   *
   * @param service that clients connect to
   * @throws IllegalArgumentException if the node has a manager of that service
   */
  static Manager start(Node node, String service, ManagerSettings settings, MetadataHandler handler) {
    ProtectionDomain pd = node.hca().allocPd();
    try {
      return new Manager(node.spawnRole(ManagerActor.create(node, service, settings, pd, handler), "pvfs-manager", settings.context()));
    } catch (RuntimeException refused) {
      node.hca().deallocPd(pd);
      handler.close();
      throw refused;
    }
  }

  public ActorRef<ManagerActor.Command> actor() {
    return actor;
  }

  /** Its state goes to {@code replyTo}. */
  public void inspect(ActorRef<ManagerSnapshot> replyTo) {
    actor.tell(new ManagerActor.Inspect(replyTo));
  }

  /** Ends all connections, and closes the store. */
  public void stop() {
    actor.tell(ManagerActor.Stop.INSTANCE);
  }
}
