package dev.weft.pager.server;

import akka.actor.typed.ActorRef;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;

/** A memory server of one node. Any thread. */
public final class MemoryServer {
  /** The default service name of servers. */
  public static final String SERVICE = "pager";

  private final ActorRef<MemoryServerActor.Command> actor;

  private MemoryServer(ActorRef<MemoryServerActor.Command> actor) {
    this.actor = actor;
  }

  /** Like {@link #start(Node, String, ServerSettings, HostVm)}, on a host without virtual memory. */
  public static MemoryServer start(Node node, String service, ServerSettings settings) {
    return start(node, service, settings, null);
  }

  /**
   * Starts a server. Allocates, touches and registers the memory on the calling thread, which may take seconds; then listens.
   *
   * @param vm virtual memory of the host, attached to its HCA, for {@code registration = unpinned}; otherwise it may be null
   * @throws OutOfMemoryError if the JVM's direct memory does not hold {@code settings.memoryBytes()}
   * @throws IllegalArgumentException if the node has a server of that service, or if the settings do not match the host
   */
  public static MemoryServer start(Node node, String service, ServerSettings settings, HostVm vm) {
    return start(node, service, settings, vm, CopyCharge.NONE);
  }

  /** Like {@link #start(Node, String, ServerSettings, HostVm)}, with a cost in virtual time for the copies of a staged store. */
  public static MemoryServer start(Node node, String service, ServerSettings settings, HostVm vm, CopyCharge charge) {
    ProtectionDomain pd = node.hca().allocPd();
    PagerStore store = null;
    try {
      settings.notification().watchesOf(node.hca()); // Fails here rather than in the actor if the host has no NIC.
      store = new PagerStore(node.hca(), pd, settings, vm);
      return new MemoryServer(
          node.spawnRole(MemoryServerActor.create(node, service, settings, pd, store, charge), "memory-server-" + service,
              settings.context()));
    } catch (RuntimeException | OutOfMemoryError e) {
      if (store != null) {
        store.close(node.hca());
      }
      node.hca().deallocPd(pd);
      throw e;
    }
  }

  public ActorRef<MemoryServerActor.Command> actor() {
    return actor;
  }

  /** Sends the state of the server to {@code replyTo}. */
  public void inspect(ActorRef<MemoryServerSnapshot> replyTo) {
    actor.tell(new MemoryServerActor.Inspect(replyTo));
  }

  /** Disconnects all clients and frees the memory. */
  public void stop() {
    actor.tell(MemoryServerActor.Stop.INSTANCE);
  }
}
