package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.JvmFlags;
import dev.weft.fabric.KnownSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.HardwareDispatcherSettings;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.hca.verbs.Hca;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A fabric in real time within this JVM, without a cluster: for tests, benchmarks and embedding. Any thread. */
public final class LocalFabric extends RealFabric {
  private static final Config DEFAULTS = ConfigFactory.parseString("""
      akka {
        actor.provider = local
        log-dead-letters = off
        log-dead-letters-during-shutdown = off
        coordinated-shutdown.run-by-jvm-shutdown-hook = off
        stdout-loglevel = WARNING
        loglevel = WARNING
        logger-startup-timeout = 60s # Akka's 5 s end the start on a machine that is starved.
        actor.creation-timeout = 60s
      }
      """);

  /** Long enough for an overloaded machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final StaticDirectory directory = new StaticDirectory();
  private final NodeSpec spec;
  private int nextLid = 1;

  private LocalFabric(Config config, ActorSystem<Void> system) {
    super(system, PATIENCE);
    DispatcherSelector selector = HardwareDispatcher.SELECTOR;
    var context = HardwareDispatcher.realContext(system);
    ActorRef<SwitchActor.Command> leafSwitch = Adapter.spawn(Adapter.toClassic(system),
        SwitchActor.create(SwitchSettings.from(config), context, selector), "switch", selector);
    spec = NodeSpec.of(config, context, directory, new StaticGroups(leafSwitch), leafSwitch, selector, dispatcher::isHardwareThread,
        new RealContexts(system.executionContext(), taskQueue, dispatcher, context.clock()), Integer.MAX_VALUE);
  }

  /** Starts a fabric with the settings of {@code application.conf} on the class path and of system properties. */
  public static LocalFabric start() {
    return start(ConfigFactory.empty());
  }

  /**
   * Starts a fabric with settings that override those of {@code application.conf} and of system properties.
   *
   * @throws IllegalArgumentException if a setting is unknown or out of range; the message says which
   * @throws JvmFlags.MissingException if this JVM was started without the options that a fabric needs
   */
  public static LocalFabric start(Config overrides) {
    JvmFlags.check();
    Config config = withoutReference(overrides).withFallback(DEFAULTS).withFallback(ConfigFactory.load());
    KnownSettings.check(config);
    HardwareDispatcherSettings.from(config.getConfig(HardwareDispatcher.CONFIG_PATH)); // Checked here because Akka would hide the error in a bad setting.
    ActorSystem<Void> system = Adapter.toTyped(akka.actor.ActorSystem.create("weft", config));
    try {
      return new LocalFabric(config, system);
    } catch (RuntimeException | Error e) {
      system.terminate();
      throw e;
    }
  }

  /**
   * Drops the values that come from a {@code reference.conf}. The overrides may be a whole {@code ConfigFactory.load()}; the defaults of libraries in
   * it must not override the defaults of a fabric.
   */
  private static Config withoutReference(Config overrides) {
    Config own = overrides;
    for (String path : DEFAULTS.entrySet().stream().map(Map.Entry::getKey).toList()) {
      if (overrides.hasPath(path) && "reference.conf".equals(overrides.getValue(path).origin().resource())) {
        own = own.withoutPath(path);
      }
    }
    return own;
  }

  /**
   * Adds a node and waits until it is attached.
   *
   * @throws IllegalArgumentException if the name is taken or invalid; then nothing has changed
   */
  @Override
  public Node addNode(String name) {
    return addNode(name, NodeLink.DIRECT);
  }

  @Override
  public CompletionStage<Void> advertise(Advert advert) {
    Check.given("advert", advert);
    nodes.checkOpen();
    return directory.advertise(advert, config());
  }

  /** Adds a node, connected by {@code link}, and waits until it is attached. */
  public synchronized Node addNode(String name, NodeLink link) {
    nodes.checkOpen();
    NodeNames.check(name, directory);
    CompletableFuture<NodeActor.PortedNode> attached = new CompletableFuture<>();
    int lid = nextLid;
    ActorRef<NodeActor.Command> actor = NodeNames.spawn(name, () -> Adapter.spawn(Adapter.toClassic(system),
        NodeActor.create(name, lid, spec, link, attached), nodes.actorName(name), spec.hardwareDispatcher()));
    nextLid++;
    NodeActor.PortedNode node = nodes.await(attached);
    directory.add(new NodeEntry(name, lid, "local", node.cm()));
    // The link is up when the HCA has processed the port's first message. This control verb queues up behind that message.
    while (node.node().hca().lid() == 0) {
      node.node().hca().inspect();
    }
    return nodes.add(node, actor);
  }

  @Override
  public synchronized void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid) {
    int lid = nextLid++;
    directory.add(new NodeEntry(name, lid, "local", device));
    leafSwitch().tell(new SwitchActor.AttachPort(name, lid, true, NodeLink.DIRECT.from(device, laid), device));
  }

  @Override
  public MulticastGroups groups() {
    return spec.groups();
  }

  @Override
  public void detachDevice(String name, int portNumber) {
    directory.remove(name);
    leafSwitch().tell(new SwitchActor.DetachPort(portNumber));
  }

  /** The switch that all nodes are connected to. */
  public ActorRef<SwitchActor.Command> leafSwitch() {
    return spec.leafSwitch();
  }

  @Override
  public Directory directory() {
    return directory;
  }

  /**
   * Closes all nodes (see {@link Hca#close}) and ends the actors. Waits until that is done, also if another thread has begun it. Does not wait on the
   * hardware thread, which closing needs.
   */
  @Override
  public void close() {
    if (nodes.close()) {
      system.terminate();
    }
    CompletableFuture<Void> ended = system.getWhenTerminated().toCompletableFuture().thenAccept(done -> taskQueue.close());
    if (!isHardwareThread()) {
      ended.orTimeout(30, TimeUnit.SECONDS).join();
    }
  }
}
