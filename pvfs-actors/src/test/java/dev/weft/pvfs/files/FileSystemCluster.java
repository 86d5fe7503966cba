package dev.weft.pvfs.files;

import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.link.ServiceListener;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.check.FileSystemCheck;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.daemon.DaemonSettings;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.daemon.IoDaemon;
import dev.weft.pvfs.manager.Capabilities;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.manager.Manager;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A whole file system in one JVM, in real time. */
public final class FileSystemCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  public final LocalFabric fabric;
  private final List<IoDaemon> daemons = new ArrayList<>();
  private final AtomicInteger names = new AtomicInteger();
  private final List<DaemonAddress> addresses = new ArrayList<>();
  private final Path directory;
  private final FileSystemLabel label;
  private Manager manager;
  private String lastClient;

  public FileSystemCluster(int count, String settings) {
    this(count, settings, null);
  }

  /** @param directory of the manager; null for one in memory */
  public FileSystemCluster(int count, String settings, Path directory) {
    this(count, settings, directory, FileSystemLabel.random(count), null);
  }

  /** All in a directory, manager and daemons. */
  public FileSystemCluster(int count, String settings, Path directory, FileSystemLabel label) {
    this(count, settings, directory.resolve("manager"), label, directory);
  }

  private FileSystemCluster(int count, String settings, Path directory, FileSystemLabel label, Path stripes) {
    this.directory = directory;
    this.label = label;
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon.memory = 32 MiB\n" + settings));
    for (int i = 0; i < count; i++) {
      addresses.add(new DaemonAddress("io-" + i, "pvfs-io"));
      DaemonSettings inMemory = DaemonSettings.from(fabric.config());
      DaemonSettings of = stripes == null ? inMemory : inMemory.withDirectory(stripes.resolve("io-" + i).toString()).ofFileSystem(label.id());
      daemons.add(IoDaemon.start(fabric.addNode("io-" + i), "pvfs-io", of, label.key(), RealClock::wallNs));
    }
    startManager(fabric.addNode("manager"));
  }

  void startManager(Node node) {
    manager = directory == null
        ? Manager.inMemory(fabric, node, PvfsFileSystem.MANAGER_SERVICE, fabric.config(), addresses, label, RealClock::wallNs)
        : Manager.durable(fabric, node, PvfsFileSystem.MANAGER_SERVICE, fabric.config(), addresses, directory, label, RealClock::wallNs);
  }

  /** Lets others in than those of the fabric: the manager by one listener, the daemons by another. */
  public void letIn(ServiceListener toManager, ServiceListener toDaemons) {
    manager.letIn(toManager);
    daemons.forEach(daemon -> daemon.letIn(toDaemons));
  }

  List<DaemonAddress> addresses() {
    return addresses;
  }

  public FileSystemCheck check(PvfsFileSystem files) {
    return new FileSystemCheck(fabric, fabric.system(), fabric.addNode("check-" + names.incrementAndGet()), manager, label, files.meta(), addresses,
        fabric.config(), RealClock::wallNs);
  }

  /** May do at the daemons what the manager may. */
  DataClient daemons() {
    return DataClient.start(fabric, fabric.addNode("plant-" + names.incrementAndGet()), "plant", addresses, ClientSettings.from(fabric.config()),
        new Capabilities(label, RealClock::wallNs));
  }

  public void stopManager() {
    manager.stop();
    fabric.await(manager.stopped().toCompletableFuture(), PATIENCE);
  }

  /** In an orderly way: all that daemons have is on their disks. */
  void stopAll() {
    stopManager();
    for (IoDaemon daemon : daemons) {
      daemon.stop();
      fabric.await(daemon.closed(), PATIENCE);
    }
  }

  /** On another node of the same name. */
  public void restartManager() {
    stopManager();
    startManagerAgain();
  }

  /** One in memory, on another node of the same name: what it had is lost. */
  public void restartDaemon(int i) {
    fabric.closeNode("io-" + i);
    daemons.set(i, IoDaemon.start(fabric.addNode("io-" + i), "pvfs-io", DaemonSettings.from(fabric.config()), label.key(), RealClock::wallNs));
  }

  /** One that was stopped. */
  public void startManagerAgain() {
    fabric.closeNode("manager");
    startManager(fabric.addNode("manager"));
  }

  public PvfsFileSystem connect(Caller caller) {
    return connect(caller, fabric.config());
  }

  /** One with settings of its own. */
  PvfsFileSystem connect(Caller caller, Config config) {
    lastClient = "client-" + names.incrementAndGet();
    try {
      return PvfsFileSystem.connect(fabric, fabric.addNode(lastClient), "test", "manager", caller, config);
    } catch (PvfsException failed) {
      throw new AssertionError(failed);
    }
  }

  void loseLastClient() {
    fabric.closeNode(lastClient);
  }

  /** Memory that all daemons have free. */
  long freeBytes() {
    return states().stream().mapToLong(DaemonSnapshot::freeBytes).sum();
  }

  /** Of all daemons. */
  public List<DaemonSnapshot> states() {
    List<DaemonSnapshot> states = new ArrayList<>();
    for (IoDaemon daemon : daemons) {
      CompletableFuture<DaemonSnapshot> answer = new CompletableFuture<>();
      fabric.system().systemActorOf(Behaviors.<Object>setup(context -> {
        daemon.inspect(context.getSelf().unsafeUpcast());
        return Behaviors.receive(Object.class).onMessage(DaemonSnapshot.class, snapshot -> {
          answer.complete(snapshot);
          return Behaviors.stopped();
        }).build();
      }), "probe-" + names.incrementAndGet(), akka.actor.typed.Props.empty());
      states.add(fabric.await(answer, PATIENCE));
    }
    return states;
  }

  /** Has the hardware stand still, so that whoever waits for it does wait, until the latch is counted down; 10 s at most. */
  public CountDownLatch stopHardware(PvfsFileSystem files) throws InterruptedException {
    CountDownLatch stands = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    files.meta().tryAsk(MetaRequest.of(MetaOp.HELLO, Caller.ROOT, PvfsFileSystem.ROOT), _ -> {
      stands.countDown();
      try {
        goesOn.await(90, TimeUnit.SECONDS);
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
      }
    });
    if (!stands.await(90, TimeUnit.SECONDS)) {
      throw new AssertionError("the manager does not answer");
    }
    return goesOn;
  }

  /** As {@link #stopHardware}, for a moment. */
  public void pauseHardware(PvfsFileSystem files) throws InterruptedException {
    CountDownLatch goesOn = stopHardware(files);
    Thread.ofVirtual().start(() -> {
      LockSupport.parkNanos(100_000_000);
      goesOn.countDown();
    });
  }

  /** What a client counts. */
  public ClientSnapshot snapshot(PvfsFileSystem files) {
    CompletableFuture<ClientSnapshot> answer = new CompletableFuture<>();
    fabric.system().systemActorOf(Behaviors.<ClientSnapshot>setup(context -> {
      files.data().inspect(context.getSelf());
      return Behaviors.receive(ClientSnapshot.class).onAnyMessage(snapshot -> {
        answer.complete(snapshot);
        return Behaviors.stopped();
      }).build();
    }), "probe-" + names.incrementAndGet(), akka.actor.typed.Props.empty());
    return fabric.await(answer, PATIENCE);
  }

  /** What the manager counts. */
  public ManagerSnapshot managerState() {
    CompletableFuture<ManagerSnapshot> answer = new CompletableFuture<>();
    fabric.system().systemActorOf(Behaviors.<ManagerSnapshot>setup(context -> {
      manager.inspect(context.getSelf());
      return Behaviors.receive(ManagerSnapshot.class).onAnyMessage(snapshot -> {
        answer.complete(snapshot);
        return Behaviors.stopped();
      }).build();
    }), "probe-" + names.incrementAndGet(), akka.actor.typed.Props.empty());
    return fabric.await(answer, PATIENCE);
  }

  /** Whether so much is free within a time. */
  boolean gets(long freeBytes) {
    for (int i = 0; i < 200 && freeBytes() != freeBytes; i++) {
      fabric.await(() -> false, Duration.ofMillis(100));
    }
    return freeBytes() == freeBytes;
  }

  @Override
  public void close() {
    fabric.close();
  }
}
