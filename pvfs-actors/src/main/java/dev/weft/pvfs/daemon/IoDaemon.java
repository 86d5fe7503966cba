package dev.weft.pvfs.daemon;

import akka.actor.typed.ActorRef;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** An I/O daemon of one node, with its stripes in memory. Any thread. */
public final class IoDaemon {
  private final ActorRef<IoDaemonActor.Command> actor;

  private IoDaemon(ActorRef<IoDaemonActor.Command> actor) {
    this.actor = actor;
  }

  /**
   * Allocates and registers the memory on the calling thread, then listens.
   *
   * @param service that clients connect to
   * @throws OutOfMemoryError if the JVM's direct memory does not hold {@code settings.memoryBytes()}
   * @throws IllegalArgumentException if the node has a daemon of that service
   */
  public static IoDaemon start(Node node, String service, DaemonSettings settings) {
    return start(node, service, settings, null, () -> 0);
  }

  /**
   * The same; it serves only what a manager has allowed.
   *
   * @param key that the manager marks capabilities with; null serves everybody who can connect
   * @param wallNs nanoseconds since 1970
   */
  public static IoDaemon start(Node node, String service, DaemonSettings settings, byte[] key, LongSupplier wallNs) {
    CapabilityGuard guard = new CapabilityGuard(key, wallNs);
    ProtectionDomain pd = node.hca().allocPd();
    List<MemoryRegion> regions = new ArrayList<>();
    try {
      long bytes = settings.memoryBytes() / StripeMemory.CHUNK_BYTES * StripeMemory.CHUNK_BYTES;
      regions.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), bytes), Access.LOCAL_WRITE));
      regions.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), StripeMemory.CHUNK_BYTES), 0));
      return new IoDaemon(node.spawnRole(IoDaemonActor.create(node, service, settings, pd, regions, guard), "pvfs-daemon-" + service, settings.context()));
    } catch (RuntimeException | OutOfMemoryError e) {
      regions.forEach(node.hca()::deregMr);
      node.hca().deallocPd(pd);
      throw e;
    }
  }

  public ActorRef<IoDaemonActor.Command> actor() {
    return actor;
  }

  /** Its state goes to {@code replyTo}. */
  public void inspect(ActorRef<DaemonSnapshot> replyTo) {
    actor.tell(new IoDaemonActor.Inspect(replyTo));
  }

  /** Ends all connections and frees the memory. */
  public void stop() {
    actor.tell(IoDaemonActor.Stop.INSTANCE);
  }
}
