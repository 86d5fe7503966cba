package dev.weft.pvfs.manager;

import akka.actor.typed.ActorRef;
import com.typesafe.config.Config;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.store.MemoryDisk;
import java.util.List;
import java.util.function.LongSupplier;

/** The manager of a file system, at one node. Any thread. */
public final class Manager {
  private final ActorRef<ManagerActor.Command> actor;

  private Manager(ActorRef<ManagerActor.Command> actor) {
    this.actor = actor;
  }

  /**
   * Starts one whose name space lies in memory, and ends with it.
   *
   * @param service that clients connect to
   * @param daemons all I/O daemons, in their order
   * @param wallNs nanoseconds since 1970; called by the manager's thread
   * @throws IllegalArgumentException if the node has a manager of that service
   */
  public static Manager inMemory(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, LongSupplier wallNs) {
    List<String> lines = daemons.stream().map(daemon -> daemon.node() + " " + daemon.service()).toList();
    DataClient client = DataClient.start(fabric, node, "manager", daemons, ClientSettings.from(config));
    ManagerSettings settings = ManagerSettings.from(config);
    return start(node, service, settings, new NameSpaceHandler(new MemoryDisk("metadata").open(), lines, settings.defaults(), wallNs,
        new DaemonEffects(client)));
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
