package dev.weft.hca.node;

import akka.actor.BootstrapSetup;
import akka.actor.CoordinatedShutdown;
import akka.actor.PoisonPill;
import akka.actor.setup.ActorSystemSetup;
import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import akka.actor.typed.javadsl.AskPattern;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Join;
import akka.pattern.Patterns;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.JvmFlags;
import dev.weft.fabric.KnownSettings;
import dev.weft.fabric.admission.AuthenticatedSerializer;
import dev.weft.fabric.admission.ControlPort;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.fabric.cluster.JoinCheck;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.cluster.MediaDriverSnapshot;
import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.HardwareDispatcherSettings;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.subnet.ClusterDirectory;
import dev.weft.fabric.subnet.FabricAgent;
import dev.weft.fabric.subnet.SubnetManagerActor;
import dev.weft.fabric.subnet.SubnetSettings;
import dev.weft.fabric.subnet.TrunkSnapshot;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.FabricContext;
import dev.weft.fabric.trunk.TrunkEndpoint;
import dev.weft.fabric.trunk.TrunkReceiver;
import dev.weft.fabric.trunk.TrunkSettings;
import dev.weft.hca.verbs.Hca;
import io.aeron.exceptions.DriverTimeoutException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One JVM of a fabric: its media driver, actor system, switch and nodes. Start-up order: driver, cluster, switch, trunks, agent; nodes
 * are added afterwards. Any thread; {@link #addNode} and {@link #close} wait.
 */
public final class ClusterFabric extends RealFabric {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterFabric.class);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ControlPort port;
  private final MediaDriverProcess driver;
  private final ProcessWatch driverWatch;
  private final TrunkEndpoint endpoint;
  private final ClusterDirectory directory;
  private final ActorRef<SwitchActor.Command> leafSwitch;
  private final ActorRef<FabricAgent.Command> agent;
  private final NodeSpec spec;
  private final NodeLink link;
  private final List<String> seeds;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final LeavingFabric leaving;

  /**
   * The place of a JVM in a fabric.
   *
   * @param host address that the control plane binds
   * @param port UDP port of the control plane; 0 takes a free one
   * @param seeds {@code host:port} of JVMs to join; empty to start a cluster
   * @param roles cluster roles
   * @param driver the host's media driver
   * @param link the cables between the nodes and the switch; normally {@link NodeLink#DIRECT}
   * @param onFailure called once, with the reason, when this JVM has lost its trunks permanently or the fabric has removed it; by then all
   *     connections of its nodes have ended, and the fabric can only be closed
   */
  public record Place(String host, int port, List<String> seeds, List<String> roles, MediaDriverSettings driver, NodeLink link,
      Consumer<String> onFailure) {

    /** Returns a place on 127.0.0.1 at a free port, with the media driver of the settings. It logs a failure. */
    public static Place onLoopback(Config config, String... seeds) {
      return new Place("127.0.0.1", 0, List.of(seeds), List.of(), MediaDriverSettings.of(config), NodeLink.DIRECT,
          reason -> LOG.error("this JVM has lost the fabric: {}", reason));
    }
  }

  private ClusterFabric(Place place, Config config, ControlPort port, MediaDriverProcess driver, ActorSystem<Void> system, TrunkEndpoint endpoint,
      SwitchSettings switchSettings, TrunkSettings trunkSettings) {
    if (place.seeds().isEmpty()) {
      Cluster cluster = Cluster.get(system);
      cluster.manager().tell(new Join(cluster.selfMember().address()));
    }
    ClusterDirectory directory = new ClusterDirectory();
    LeavingFabric leaving = LeavingFabric.watch(system, directory, place.onFailure());
    super(system, PATIENCE);
    this.port = port;
    this.driver = driver;
    this.endpoint = endpoint;
    this.directory = directory;
    this.leaving = leaving;
    link = place.link();
    seeds = place.seeds();
    FabricContext context = HardwareDispatcher.realContext(system);
    dispatcher.addPoller(endpoint.receiver());
    if (endpoint.bell() != null) {
      dispatcher.useBell(endpoint.bell());
    }
    DispatcherSelector hardware = HardwareDispatcher.SELECTOR;
    leafSwitch = Adapter.spawn(Adapter.toClassic(system), SwitchActor.create(switchSettings, context, hardware), "switch", hardware);
    SubnetSettings subnet = SubnetSettings.of(config);
    agent = Adapter.spawn(Adapter.toClassic(system), FabricAgent.create(subnet, endpoint, leafSwitch, directory,
        SubnetManagerActor.start(system, subnet), leaving::failed), "fabric-agent");
    spec = NodeSpec.of(config, context, directory, FabricAgent.groups(agent), leafSwitch, hardware, dispatcher::isHardwareThread,
        new RealContexts(system.executionContext(), taskQueue, dispatcher, context.clock()), trunkSettings.pathMtuBytes());
    driverWatch = ProcessWatch.start(driver.pid(), () -> {
      String reason = driver.obituary(); // Report it before the driver's clients notice its end and report another reason.
      leaving.failed(reason);
      driver.sayThatItHasEnded();
    });
  }

  /**
   * Starts a fabric on this host, which other JVMs of this host {@linkplain #join join} at its {@link #address}. The settings come from {@code
   * application.conf} on the class path and from system properties. Errors as for {@link #start(Place, Config)}.
   */
  public static ClusterFabric startFirst() throws IOException {
    Config config = ConfigFactory.load();
    return start(Place.onLoopback(config), config);
  }

  /** Joins the fabric of another JVM of this host, with settings as for {@link #startFirst}. */
  public static ClusterFabric join(String address) throws IOException {
    Check.given("address", address);
    Config config = ConfigFactory.load();
    return start(Place.onLoopback(config, address), config);
  }

  /**
   * Starts or joins a fabric. If this fails, for example because the port is taken, nothing remains.
   *
   * @param base configuration; the cluster's own settings override it
   * @throws ControlPort.TakenException if another process has the port
   * @throws IOException if the media driver cannot be started
   * @throws IllegalArgumentException if a setting is unknown or out of range; the message says which
   * @throws JvmFlags.MissingException if this JVM was started without the options that a fabric needs
   */
  public static ClusterFabric start(Place place, Config base) throws IOException {
    return start(place, base, null);
  }

  /**
   * Like {@link #start(Place, Config)}, for a fabric with a secret. This JVM rejects control messages and UDP trunks of processes without its keys.
   *
   * @param keys the keys of the fabric; null if it has no secret
   */
  public static ClusterFabric start(Place place, Config base, FabricKeys keys) throws IOException {
    JvmFlags.check();
    KnownSettings.check(base);
    InetAddress host = InetAddress.getByName(place.host());
    ControlPort port = ControlPort.take(host, place.port(), keys != null && place.seeds().isEmpty());
    MediaDriverProcess driver = null;
    ActorSystem<Void> system = null;
    TrunkEndpoint endpoint = null;
    try {
      driver = MediaDriverProcess.startOrAttach(place.driver(), keys == null ? null : keys.seal());
      Config config = ClusterConfig.forJvm(place.host(), port.port(), place.seeds(), driver.directory(), place.roles(), base);
      KnownSettings.check(config);
      HardwareDispatcherSettings.from(config.getConfig(HardwareDispatcher.CONFIG_PATH));
      SwitchSettings switches = SwitchSettings.from(config);
      TrunkSettings trunks = TrunkSettings.of(config);
      endpoint = openTrunks(trunks, driver, switches, keys);
      endpoint.reserve(host, port.port());
      system = startSystem(config, keys);
      return new ClusterFabric(place, config, port, driver, system, endpoint, switches, trunks);
    } catch (IOException | RuntimeException | Error e) {
      release(system, endpoint, driver, port);
      throw e;
    }
  }

  static TrunkEndpoint openTrunks(TrunkSettings trunks, MediaDriverProcess driver, SwitchSettings switches, FabricKeys keys) throws IOException {
    if (!driver.isAlive()) {
      throw hasEnded(driver, null);
    }
    try {
      return TrunkEndpoint.open(trunks, driver.directory(), driver.driverId(), switches.virtualLanes(), keys);
    } catch (DriverTimeoutException | UncheckedIOException e) {
      if (!driver.isAlive()) { // The driver's end removes its directory, so access to any file may have failed.
        throw hasEnded(driver, e);
      }
      if (e instanceof UncheckedIOException) {
        throw e;
      }
      throw new IOException("the media driver, process " + driver.pid() + ", does not answer: it is stopped, or gets too little processor time ("
          + e.getMessage() + ")", e);
    }
  }

  private static IOException hasEnded(MediaDriverProcess driver, Exception cause) {
    return new IOException("the media driver, process " + driver.pid() + ", ended while this JVM joined the fabric; start this JVM again: it starts a"
        + " media driver if none runs", cause);
  }

  /** Akka is written in Scala and throws undeclared checked exceptions. It cleans up before it throws. */
  private static ActorSystem<Void> startSystem(Config config, FabricKeys keys) throws IOException {
    try {
      return Adapter.toTyped(keys == null ? akka.actor.ActorSystem.create(ClusterConfig.SYSTEM_NAME, config)
          : akka.actor.ActorSystem.create(ClusterConfig.SYSTEM_NAME,
              ActorSystemSetup.create(BootstrapSetup.create(AuthenticatedSerializer.inPlaceOfAll(config)), keys)));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("the control plane has not started: its sockets were not ready within akka.remote.artery.bind.bind-timeout ("
          + config.getString("akka.remote.artery.bind.bind-timeout") + "), or " + e.getMessage() + "; the media driver or this machine is overloaded", e);
    }
  }

  /**
   * Adds a node and waits until the subnet manager has given it a LID.
   *
   * @throws IllegalArgumentException if the name is invalid or taken, here or in another JVM of the fabric, or if the subnet manager rejects it for
   *     another reason; then nothing remains of the node
   * @throws IllegalStateException if the fabric is closed, if this JVM has lost it, or if no fabric admits this JVM within 30 s, for example because
   *     nothing listens at the address that it joins
   */
  @Override
  public Node addNode(String name) {
    checkOpen();
    NodeNames.check(name, directory);
    CompletableFuture<NodeActor.PortedNode> attached = new CompletableFuture<>();
    ActorRef<NodeActor.Command> actor = NodeNames.spawn(name, () -> Adapter.spawn(Adapter.toClassic(system),
        NodeActor.create(name, 0, spec, link, attached), nodes.actorName(name), spec.hardwareDispatcher()));
    NodeActor.PortedNode ported = nodes.await(attached);
    FabricAgent.AddReply reply;
    try {
      reply = nodes.await(AskPattern.<FabricAgent.Command, FabricAgent.AddReply>ask(agent,
          replyTo -> new FabricAgent.AddNode(name, ported.portNumber(), ported.cm(), replyTo), PATIENCE, system.scheduler()));
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof TimeoutException)) {
        throw e;
      }
      remove(actor, ported.portNumber());
      throw new IllegalStateException("node \"" + name + "\" was not added: " + whyNobodyAnswered(), e);
    }
    return switch (reply) {
      case FabricAgent.NodeRefused refused -> {
        remove(actor, ported.portNumber());
        throw new IllegalArgumentException("node \"" + name + "\" was refused: " + refused.reason());
      }
      case FabricAgent.NodeAdded added -> {
        // The port has the LID. The HCA learns it from an earlier message of its port, which it processes before this control verb.
        while (ported.node().hca().lid() == 0) {
          ported.node().hca().inspect();
        }
        leaving.add(ported.cm());
        yield nodes.add(ported, actor);
      }
    };
  }

  @Override
  public CompletionStage<Void> advertise(Advert advert) {
    Check.given("advert", advert);
    checkOpen();
    CompletableFuture<Void> taken = new CompletableFuture<>();
    agent.tell(new FabricAgent.Advertise(advert, refusal -> {
      if (refusal == null) {
        taken.complete(null);
      } else {
        taken.completeExceptionally(advert.refused(refusal));
      }
    }));
    return taken;
  }

  private void checkOpen() {
    nodes.checkOpen();
    leaving.checkOnFabric();
  }

  private String whyNobodyAnswered() {
    if (JoinCheck.refusal() != null) {
      return JoinCheck.refusal();
    }
    boolean isMember = Cluster.get(system).selfMember().status() == MemberStatus.up();
    return isMember ? "the subnet manager did not answer within " + PATIENCE.toSeconds() + " s"
        : "this JVM could not join a fabric within " + PATIENCE.toSeconds() + " s; it asked " + seeds
            + "; check that each is the address of a running fabric (ClusterFabric.address)";
  }

  /** Ends a node that is not on the fabric, and waits until its name and its port are free. */
  private void remove(ActorRef<NodeActor.Command> actor, int portNumber) {
    leafSwitch.tell(new SwitchActor.DetachPort(portNumber));
    await(Patterns.gracefulStop(Adapter.toClassic(actor), PATIENCE, PoisonPill.getInstance()));
  }

  /** The nodes of this JVM. */
  public List<Node> nodes() {
    return nodes.all();
  }

  /** The current state of this JVM's trunks. */
  public CompletionStage<List<TrunkSnapshot>> trunks() {
    return AskPattern.ask(agent, FabricAgent.Inspect::new, PATIENCE, system.scheduler());
  }

  /** The state and counters of the media driver that this JVM uses. Any thread. */
  public MediaDriverSnapshot mediaDriver() {
    return new MediaDriverSnapshot(driver.directory(), driver.pid(), driver.isOwned(), driver.isAlive(), endpoint.driverCounters());
  }

  /** The trunks to this JVM that it has rejected. Any thread; the value may be slightly out of date. */
  public TrunkReceiver.Refusals trunkRefusals() {
    return endpoint.receiver().refusals();
  }

  /** Bytes of payload that this JVM's trunks have copied into their publications since it started. Any thread; may be slightly out of date. */
  public long trunkBytesCopied() {
    return endpoint.bytesCopied();
  }

  @Override
  public void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid) {
    leafSwitch.tell(new SwitchActor.AttachPort(name, 0, true, link.from(device, laid), device));
  }

  /** Asks the subnet manager for a LID. If it rejects the device, for example because the name is taken, the link stays without a LID. */
  @Override
  public void attached(String name, int portNumber, ActorRef<HardwareMessage> device) {
    agent.tell(new FabricAgent.AddNode(name, portNumber, device, system.ignoreRef()));
  }

  @Override
  public MulticastGroups groups() {
    return spec.groups();
  }

  @Override
  public void detachDevice(String name, int portNumber) {
    agent.tell(new FabricAgent.RemoveNode(name));
    if (portNumber != 0) {
      leafSwitch.tell(new SwitchActor.DetachPort(portNumber));
    }
  }

  @Override
  public ClusterDirectory directory() {
    return directory;
  }

  public ActorRef<SwitchActor.Command> leafSwitch() {
    return leafSwitch;
  }

  /** The port of the control plane, which belongs to this JVM until it closes. */
  public ControlPort port() {
    return port;
  }

  public MediaDriverProcess driver() {
    return driver;
  }

  /** {@code host:port} of the control plane, which others join. */
  public String address() {
    akka.actor.Address own = Cluster.get(system).selfMember().address();
    return own.getHost().orElseThrow() + ":" + own.getPort().orElseThrow();
  }

  private static <T> T await(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /**
   * Closes all nodes (see {@link Hca#close}), leaves the cluster, ends the actor system and releases the media driver. Waits until that is done, also if
   * another thread has begun it. Does not wait on the hardware thread, which closing needs.
   */
  @Override
  public void close() {
    leaving.close();
    boolean isFirst = nodes.close();
    if (isHardwareThread()) {
      if (isFirst) {
        Thread.ofPlatform().name("weft-close").start(this::end);
      }
    } else if (isFirst) {
      end();
    } else {
      ended.join();
    }
  }

  /** Calls {@code action} once, after {@link #close} has released everything, for example to remove what only this fabric needs. */
  public void afterClose(Runnable action) {
    ended.thenRun(action).exceptionally(failed -> {
      LOG.warn("after the fabric was closed: {}", failed.getCause() == null ? failed.toString() : failed.getCause().getMessage());
      return null;
    });
  }

  private void end() {
    try {
      driverWatch.close();
      release(system, endpoint, driver, port);
    } finally {
      taskQueue.close();
      ended.complete(null);
    }
  }

  /** Releases the resources in the right order; a resource that is null was not started. */
  private static void release(ActorSystem<Void> system, TrunkEndpoint endpoint, MediaDriverProcess driver, ControlPort port) {
    try {
      if (system != null) {
        // If a killed peer is not removed yet, leaving takes the full timeout of Akka's shutdown phases.
        long phasesMs = CoordinatedShutdown.get(system).totalTimeout().toMillis();
        system.terminate();
        CompletableFuture<?> ended = system.getWhenTerminated().toCompletableFuture().copy();
        ended.completeOnTimeout(null, phasesMs + PATIENCE.toMillis(), TimeUnit.MILLISECONDS).join();
        if (!system.getWhenTerminated().toCompletableFuture().isDone()) {
          // A stream to a dead peer can delay the end, for a time that weft-cluster.conf bounds. The other resources must be released in any case.
          LOG.warn("the actor system did not end within {} ms; its threads end with this process; these actors still run: {}",
              phasesMs + PATIENCE.toMillis(), ActorsLeft.of(system));
        }
      }
    } finally {
      if (endpoint != null) {
        endpoint.close();
      }
      if (driver != null) {
        driver.close();
      }
      port.close();
    }
  }
}
