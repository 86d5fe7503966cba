package dev.weft.pvfs.daemon;

import akka.actor.typed.ActorRef;
import dev.weft.hca.link.ServiceListener;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.Costs;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

/** The I/O daemon of one node, with its stripes in memory or in a directory. Any thread. */
public final class IoDaemon {
  private final ActorRef<IoDaemonActor.Command> actor;
  private final CompletableFuture<Void> closed;

  private IoDaemon(ActorRef<IoDaemonActor.Command> actor, CompletableFuture<Void> closed) {
    this.actor = actor;
    this.closed = closed;
  }

  /**
   * Starts a daemon: locks its directory, if it has one, allocates and registers memory on the calling thread, then listens.
   *
   * @param service that clients connect to
   * @throws OutOfMemoryError if the JVM's direct memory is too small for {@code settings.memoryBytes()} or the zone buffers
   * @throws IllegalArgumentException if the node already has a daemon with that service
   * @throws StoreException if the directory cannot be used or belongs to another daemon
   */
  public static IoDaemon start(Node node, String service, DaemonSettings settings) {
    return start(node, service, settings, null, () -> 0);
  }

  /**
   * Starts a daemon that serves only requests with a capability of the manager.
   *
   * @param key with which the manager signs capabilities; null serves every client that can connect
   * @param wallNs nanoseconds since 1970
   */
  public static IoDaemon start(Node node, String service, DaemonSettings settings, byte[] key, LongSupplier wallNs) {
    CapabilityGuard guard = new CapabilityGuard(key, wallNs);
    if (!settings.isOnDisk()) {
      return start(node, service, settings, guard, null, Costs.NONE);
    }
    DaemonDirectory directory = DaemonDirectory.open(Path.of(settings.directory()), node.name(), settings.disk().fileSystem(),
        settings.keptBytes(), node.context().random());
    try {
      return start(node, service, settings, guard, DiskParts.of(directory, settings.disk()), Costs.NONE);
    } catch (RuntimeException | OutOfMemoryError e) {
      directory.close();
      throw e;
    }
  }

  /**
   * Starts a daemon in virtual time that works like one with a directory; its files are in memory.
   *
   * @param files the context of the file access managers
   * @param costs charged for its work
   */
  public static IoDaemon simulated(Node node, String service, DaemonSettings settings, RoleContext files, Costs costs) {
    DiskParts parts = DiskParts.of("memory", new MemoryFiles(settings.memoryBytes()), 1, Hello.onDisk(0), settings.disk(), files, () -> { });
    return start(node, service, settings, new CapabilityGuard(null, () -> 0), parts, costs);
  }

  /**
   * Starts a daemon in virtual time on a disk that the caller owns.
   *
   * @param run number of starts on it
   * @param files the context of the file access managers
   * @param key as for {@link #start(Node, String, DaemonSettings, byte[], LongSupplier)}
   */
  public static IoDaemon simulated(Node node, String service, DaemonSettings settings, Disk disk, int run, RoleContext files, byte[] key,
      LongSupplier wallNs) {
    disk.syncAll(); // As for a directory when it is opened.
    DiskParts parts = DiskParts.of("simulated", disk, run, Hello.onDisk(disk.boot() << 2), settings.disk(), files, () -> { });
    return start(node, service, settings, new CapabilityGuard(key, wallNs), parts, Costs.NONE);
  }

  private static IoDaemon start(Node node, String service, DaemonSettings settings, CapabilityGuard guard, DiskParts disk, Costs costs) {
    ProtectionDomain pd = node.hca().allocPd();
    List<MemoryRegion> regions = new ArrayList<>();
    try {
      if (disk == null) {
        long bytes = settings.memoryBytes() / StripeMemory.CHUNK_BYTES * StripeMemory.CHUNK_BYTES;
        regions.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), bytes), Access.LOCAL_WRITE));
        regions.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), StripeMemory.CHUNK_BYTES), 0));
      } else {
        regions.add(node.hca().regMr(pd, node.hca().allocMemory(Arena.ofAuto(), settings.disk().zoneBytes()), Access.LOCAL_WRITE));
      }
      ActorRef<IoDaemonActor.Command> actor = node.spawnRole(IoDaemonActor.create(node, service, settings, pd, regions, guard, disk, costs),
          "pvfs-daemon-" + service, settings.context());
      return new IoDaemon(actor, disk == null ? CompletableFuture.completedFuture(null) : disk.whenClosed());
    } catch (RuntimeException | OutOfMemoryError e) {
      regions.forEach(node.hca()::deregMr);
      node.hca().deallocPd(pd);
      throw e;
    }
  }

  public ActorRef<IoDaemonActor.Command> actor() {
    return actor;
  }

  /** Also accepts clients from outside the fabric, until the daemon stops. Call it once. */
  public void letIn(ServiceListener listener) {
    actor.tell(new IoDaemonActor.LetIn(listener));
  }

  /** Sends the daemon's state to {@code replyTo}. */
  public void inspect(ActorRef<DaemonSnapshot> replyTo) {
    actor.tell(new IoDaemonActor.Inspect(replyTo));
  }

  /** Closes all connections, frees the memory, and syncs a directory. Does not wait. */
  public void stop() {
    actor.tell(IoDaemonActor.Stop.INSTANCE);
  }

  /** Completes after {@link #stop}, or the end of the fabric, when everything is on the disk and the directory is free; at once without a directory. */
  public CompletionStage<Void> closed() {
    return closed.minimalCompletionStage();
  }
}
