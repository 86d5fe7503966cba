package dev.weft.pvfs.manager;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import com.typesafe.config.Config;
import dev.weft.hca.link.ServiceListener;
import dev.weft.hca.node.Fabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The manager of a file system, at one node. Any thread. */
public final class Manager {
  private final ActorRef<ManagerActor.Command> actor;
  private final CompletableFuture<Void> stopped;

  private Manager(ActorRef<ManagerActor.Command> actor, CompletableFuture<Void> stopped) {
    this.actor = actor;
    this.stopped = stopped;
  }

  /**
   * Starts a manager whose name space is in memory and ends with it.
   *
   * @param service that clients connect to
   * @param daemons all I/O daemons, in their order
   * @param wallNs nanoseconds since 1970; called by the manager's thread
   * @throws IllegalArgumentException if the node already has a manager with that service
   */
  public static Manager inMemory(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, LongSupplier wallNs) {
    return inMemory(fabric, node, service, config, daemons, FileSystemLabel.random(daemons.size()), wallNs);
  }

  /** Starts a manager in memory for a file system whose label its daemons know. */
  public static Manager inMemory(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, FileSystemLabel label,
      LongSupplier wallNs) {
    return start(fabric, node, service, config, daemons, RoleContext.ISR, Manager::aside, new MemoryDisk("metadata")::open, label, wallNs);
  }

  /**
   * Starts a manager that keeps its name space in a directory. Each change is on disk before it is answered, and a later manager on the same
   * directory continues with it. Clients that come back within {@code weft.pvfs.manager.grace} keep their open files. While the store fails (disk
   * full or read-only), calls that need it fail; it is reopened afterwards.
   *
   * <p>The stripes are not here: I/O daemons keep them.
   *
   * @param directory created if missing; accessible to this user only
   * @throws dev.weft.pvfs.store.StoreException if another manager uses the directory, if it cannot be used, or if its file system has another number
   *     of daemons; the message says which
   * @throws IllegalArgumentException if the node already has a manager with that service
   */
  public static Manager durable(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, Path directory, LongSupplier wallNs) {
    return durable(fabric, node, service, config, daemons, directory, null, wallNs);
  }

  /** Starts a manager on a directory; {@code label} is that of the expected file system, null accepts any. */
  public static Manager durable(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, Path directory, FileSystemLabel label,
      LongSupplier wallNs) {
    RocksSettings settings = RocksSettings.from(config);
    return start(fabric, node, service, config, daemons, RoleContext.BLOCKING, Runnable::run, () -> RocksStore.open(directory, settings), label, wallNs);
  }

  /** Starts a manager on a disk in memory that outlives it: for virtual time. */
  public static Manager on(MemoryDisk disk, Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, FileSystemLabel label,
      LongSupplier wallNs) {
    return start(fabric, node, service, config, daemons, RoleContext.ISR, Runnable::run, disk::open, label, wallNs);
  }

  /**
   * Checks that a manager could start with these settings, before anything is created for it.
   *
   * @param isDurable whether its name space is kept in a directory
   * @throws IllegalArgumentException if not; the message names the wrong setting
   */
  public static void checkSettings(Config config, boolean isDurable) {
    ManagerSettings.from(config).contextOf(isDurable ? RoleContext.BLOCKING : RoleContext.ISR);
    ClientSettings.from(config);
    if (isDurable) {
      RocksSettings.from(config);
    }
  }

  /** Runs a check on a separate thread: it may take seconds and must not block the hardware thread. */
  private static void aside(Runnable check) {
    Thread.ofPlatform().daemon().name("pvfs-check").start(check);
  }

  private static Manager start(Fabric fabric, Node node, String service, Config config, List<DaemonAddress> daemons, RoleContext usual,
      Executor checks, Supplier<MetadataStore> opener, FileSystemLabel label, LongSupplier wallNs) {
    ManagerSettings settings = ManagerSettings.from(config);
    RoleContext context = settings.contextOf(usual);
    List<String> lines = daemons.stream().map(daemon -> daemon.node() + " " + daemon.service()).toList();
    ClientSettings clientSettings = ClientSettings.from(config);
    LongSupplier nowNs = node.context().clock()::nowNs;
    KeptNameSpace kept = KeptNameSpace.open(opener, label, daemons.size(), settings.defaults(), wallNs, nowNs);
    DaemonEffects effects = null;
    NameSpaceHandler handler;
    try {
      effects = new DaemonEffects(DataClient.start(fabric, node, "manager", daemons, clientSettings, new Capabilities(kept.get().label(), wallNs)));
      handler = new NameSpaceHandler(kept, lines, wallNs, settings.capabilityNs(), effects);
    } catch (RuntimeException refused) {
      if (effects != null) {
        effects.close();
      }
      kept.close();
      throw refused;
    }
    return start(node, service, settings, context, checks, handler);
  }

  /**
   * Starts a manager, which owns and closes {@code handler}.
   *
   * @param service that clients connect to
   * @param checks runs checks of all metadata, during which no client is served
   * @throws IllegalArgumentException if the node already has a manager with that service
   */
  static Manager start(Node node, String service, ManagerSettings settings, RoleContext context, Executor checks, MetadataHandler handler) {
    ProtectionDomain pd = node.hca().allocPd();
    CompletableFuture<Void> stopped = new CompletableFuture<>();
    try {
      Behavior<ManagerActor.Command> behavior = ManagerActor.create(node, service, settings, pd, handler, checks, () -> stopped.complete(null));
      return new Manager(node.spawnRole(behavior, "pvfs-manager", context), stopped);
    } catch (RuntimeException refused) {
      node.hca().deallocPd(pd);
      handler.close();
      throw refused;
    }
  }

  public ActorRef<ManagerActor.Command> actor() {
    return actor;
  }

  /** Also accepts clients from outside the fabric, until the manager stops. Call it once. */
  public void letIn(ServiceListener listener) {
    actor.tell(new ManagerActor.LetIn(listener));
  }

  /** Sends the manager's state to {@code replyTo}. */
  public void inspect(ActorRef<ManagerSnapshot> replyTo) {
    actor.tell(new ManagerActor.Inspect(replyTo));
  }

  /** Closes all connections and the store. */
  public void stop() {
    actor.tell(ManagerActor.Stop.INSTANCE);
  }

  /** Completes when {@link #stop} is done: another manager can then use the directory. */
  public CompletionStage<Void> stopped() {
    return stopped;
  }
}
