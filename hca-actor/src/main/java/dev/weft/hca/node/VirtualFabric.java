package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.Check;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.JvmFlags;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.host.Host;
import dev.weft.fabric.host.HostHardware;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.verbs.Hca;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A fabric in virtual time, with one switch or a tree of switches. It runs the same actors as in real time, on one thread, in an order from one seed.
 * The thread that creates it runs it. Call verbs on that thread, between runs or from handlers.
 */
public final class VirtualFabric implements Fabric {
  /** Burst header and one word: the latencies of a cut-through network apply to a packet of this size. */
  private static final int MINIMAL_PACKET_BYTES = 24;
  private static final long ATTACH_TIME_MAX_NS = 1_000_000_000L;
  /** Locking pages would not change what is simulated. */
  private static final Config DEFAULTS = ConfigFactory.parseString("weft.hca.pin-memory = false");

  private final VirtualSystem system;
  private final Config config;
  private final StaticDirectory directory = new StaticDirectory();
  private final VirtualSwitches switches;
  private final NodeSpec spec;
  private final LinkProfile toSwitch;
  private final LinkProfile fromSwitch;
  private final HostHardware hardware;
  private final boolean hasProcessors;
  private final Map<String, Host> hosts = new LinkedHashMap<>();
  private final Map<String, HostRoles> hostRoles = new LinkedHashMap<>();
  private final Map<String, SimulatedLink> links = new LinkedHashMap<>();
  private final Map<String, NodeActor.PortedNode> attachedNodes = new LinkedHashMap<>();
  private final Map<String, ActorRef<NodeActor.Command>> nodeActors = new LinkedHashMap<>();
  /** Names of nodes that were closed and not added again. */
  private final Set<String> closedNodes = new HashSet<>();
  private LinkFaults faults;
  private int nextLid = 1;
  private boolean closed;

  /**
   * Creates a fabric without nodes.
   *
   * @param overrides settings that override the modules' {@code reference.conf}; may be empty
   * @throws IllegalArgumentException if a setting is unknown or out of range; the message says which
   * @throws JvmFlags.MissingException if this JVM was started without the options that a fabric needs
   */
  public VirtualFabric(long seed, LinkProfile profile, LinkFaults faults, Config overrides) {
    this(seed, profile, FabricShape.ONE_SWITCH, faults, overrides);
  }

  /** As above, with the given arrangement of switches. */
  public VirtualFabric(long seed, LinkProfile profile, FabricShape shape, LinkFaults faults, Config overrides) {
    this(seed, profile, profile, null, shape, false, faults, overrides);
  }

  /**
   * Creates a fabric without nodes. Its nodes are hosts of a hardware profile: processors, adapters, links and the switch cost virtual time.
   *
   * @param overrides settings that override the modules' {@code reference.conf} and the path MTU of the profile; may be empty
   */
  public VirtualFabric(long seed, HostHardware hardware, LinkFaults faults, Config overrides) {
    this(seed, hardware, FabricShape.ONE_SWITCH, faults, overrides);
  }

  /** As above, with the given arrangement of switches. In a tree of switches, nodes cannot join multicast groups. */
  public VirtualFabric(long seed, HostHardware hardware, FabricShape shape, LinkFaults faults, Config overrides) {
    this(seed, hardware, shape, true, faults, overrides);
  }

  /**
   * Creates a fabric without nodes whose network is that of a hardware profile. Adapters, links and the switch cost virtual time. Processors do not,
   * because the model of the programs charges for them.
   *
   * @param overrides as in the constructor with a hardware profile
   */
  public static VirtualFabric withoutProcessors(long seed, HostHardware hardware, LinkFaults faults, Config overrides) {
    return new VirtualFabric(seed, hardware, FabricShape.ONE_SWITCH, false, faults, overrides);
  }

  private VirtualFabric(long seed, HostHardware hardware, FabricShape shape, boolean hasProcessors, LinkFaults faults,
      Config overrides) {
    this(seed, new LinkProfile(hardware.link().latencyNs() + hardware.switchNs(), hardware.link().bandwidthBitsPerSecond()),
        hardware.link(), hardware, shape, hasProcessors, faults,
        overrides.withFallback(ConfigFactory.parseString("weft.hca.path-mtu-max = " + hardware.mtuBytes()
            + (hardware.isCutThrough() ? "\nweft.fabric.switch.forwarding = cut-through" : ""))));
  }

  private VirtualFabric(long seed, LinkProfile toSwitch, LinkProfile fromSwitch, HostHardware hardware, FabricShape shape,
      boolean hasProcessors, LinkFaults faults, Config overrides) {
    JvmFlags.check();
    this.hardware = hardware;
    this.hasProcessors = hasProcessors;
    this.faults = faults;
    system = VirtualSystem.create(seed, overrides.withFallback(DEFAULTS));
    config = system.system().settings().config();
    DispatcherSelector dispatcher = HardwareDispatcher.SELECTOR;
    SwitchSettings settings = SwitchSettings.from(config);
    this.toSwitch = settings.cutThrough() ? toSwitch.withHead(LinkProfile.WHOLE) : toSwitch;
    this.fromSwitch = settings.cutThrough() ? fromSwitch.withHead(MINIMAL_PACKET_BYTES) : fromSwitch;
    switches = new VirtualSwitches(system, settings, shape, this.toSwitch, faults, dispatcher);
    Executor executor = system.system().executionContext();
    MulticastGroups groups = shape.isOneSwitch() ? new StaticGroups(switches.first()) : new NoGroups();
    spec = NodeSpec.of(config, system.context(), directory, groups, switches.first(), dispatcher, () -> true,
        new FreeContexts(executor), Integer.MAX_VALUE);
  }

  /** Creates a fabric with links of 1 us and 10 Gb/s, without faults. */
  public static VirtualFabric create(long seed) {
    return create(seed, LinkFaults.NONE);
  }

  /** Creates a fabric with links of 1 us and 10 Gb/s. */
  public static VirtualFabric create(long seed, LinkFaults faults) {
    return new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), faults, ConfigFactory.empty());
  }

  /**
   * Adds a node and runs until it is attached.
   *
   * @throws IllegalArgumentException if the name is taken or invalid
   * @throws IllegalStateException if the fabric is closed
   */
  @Override
  public Node addNode(String name) {
    if (closed) {
      throw new IllegalStateException(Nodes.CLOSED + "; start another one");
    }
    NodeNames.check(name, directory);
    int lid = nextLid++;
    SimulatedLink link = new SimulatedLink(system.context(), toSwitch, fromSwitch, faults, spec.virtualLanes(),
        system.faultRandom());
    NodeActor.PortedNode[] attached = new NodeActor.PortedNode[1];
    NodeSpec own = spec.withSwitch(switches.leafOf(lid));
    NodeLink cable = NodeLink.simulated(link);
    if (hasProcessors) {
      Host host = hosts.computeIfAbsent(name, n -> hardware.host(system, n));
      own = own.withContexts(new HostContexts(system, host), hostRoles.computeIfAbsent(name, n -> new HostRoles(system, host)));
    }
    if (hardware != null) {
      cable = (hca, port) -> layThroughAdapter(name + "-adapter-" + lid, link, hca, port);
    }
    Behavior<NodeActor.Command> behavior = NodeActor.create(name, lid, own, cable, ported -> attached[0] = ported);
    ActorRef<NodeActor.Command> actor = NodeNames.spawn(name, () -> system.spawn(behavior, name, spec.hardwareDispatcher()));
    boolean done = system.runUntil(() -> attached[0] != null && attached[0].node().hca().lid() == lid, ATTACH_TIME_MAX_NS);
    if (!done) {
      throw new IllegalStateException("node " + name + " was not attached within " + ATTACH_TIME_MAX_NS + " ns of virtual time");
    }
    attached[0].hca().setPortSpeed(toSwitch.bandwidthBitsPerSecond());
    links.put(name, link);
    nodeActors.put(name, actor);
    attachedNodes.put(name, attached[0]);
    closedNodes.remove(name);
    directory.add(new NodeEntry(name, lid, "local", attached[0].cm()));
    return attached[0].node();
  }

  @Override
  public CompletionStage<Void> advertise(Advert advert) {
    Check.given("advert", advert);
    return directory.advertise(advert, config());
  }

  /** An application thread waits; the thread of the simulation runs the simulation until the condition holds. */
  @Override
  public boolean await(BooleanSupplier until, Duration max) {
    AppThread thread = AppThread.current();
    return thread == null ? system.runUntil(until, max.toNanos()) : thread.await(until, max.toNanos());
  }

  /** Attaches a device; {@link #link} returns its link by its name. With a hardware profile its adapter costs as much as an HCA's. */
  @Override
  public void attachDevice(String name, ActorRef<HardwareMessage> device, Consumer<Cable> laid) {
    int lid = nextLid++;
    SimulatedLink link = new SimulatedLink(system.context(), toSwitch, fromSwitch, faults, spec.virtualLanes(),
        system.faultRandom());
    links.put(name, link);
    directory.add(new NodeEntry(name, lid, "local", device));
    NodeLink cable = hardware == null ? NodeLink.simulated(link)
        : (end, port) -> layThroughAdapter("adapter-" + lid, link, end, port);
    switches.leafOf(lid).tell(new SwitchActor.AttachPort(name, lid, true, cable.from(device, laid), device));
  }

  @Override
  public void detachDevice(String name, int portNumber) {
    int lid = directory.lookup(name).orElseThrow().lid();
    directory.remove(name);
    switches.leafOf(lid).tell(new SwitchActor.DetachPort(portNumber));
  }

  @Override
  public boolean isHardwareThread() {
    return true;
  }

  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    throw new UnsupportedOperationException("a thread outside of the simulation cannot wait in virtual time; use AppThread.park");
  }

  private NodeLink.Ends layThroughAdapter(String actorName, SimulatedLink link, ActorRef<HardwareMessage> hca,
      ActorRef<HardwareMessage> port) {
    ActorRef<HardwareMessage> adapter = system.spawn(
        hardware.adapter(system.context(), hca, link.fromA()), actorName, spec.hardwareDispatcher());
    link.connect(adapter, port);
    return new NodeLink.Ends(hardware.cableOf(adapter), link.fromB());
  }

  /**
   * Returns the host of a node, with its processors and their load.
   *
   * @throws IllegalStateException if this fabric has no processors
   */
  public Host host(String node) {
    if (!hasProcessors) {
      throw new IllegalStateException("node " + node + " has no host: the fabric was created without a hardware profile, or without its processors");
    }
    return hosts.get(node);
  }

  /** Cuts the link of a node and removes it from the directory, so that the other nodes learn that it has left. Its actors remain. */
  public void loseNode(String name) {
    links.get(name).setPartitioned(true);
    directory.remove(name);
  }

  /**
   * Crashes a node: cuts its link permanently and stops its actors without notifying other nodes. Its own requests are flushed, see {@link
   * Hca#close}. The other nodes learn of the crash only from {@link #loseNode}. After that, a new node of the same name may be added.
   */
  public void crashNode(String name) {
    links.get(name).setPartitioned(true);
    attachedNodes.get(name).services().abandon();
    // Stop the connection manager first, so that the roles cannot send disconnects while they stop.
    system.stop(attachedNodes.get(name).cm());
    system.stop(nodeActors.get(name));
    system.runFor(0);
  }

  /** Closes a node. Its name becomes free when the simulation has run the pending events. */
  @Override
  public void closeNode(String name) {
    NodeActor.PortedNode node = attachedNodes.remove(name);
    if (node == null && closedNodes.contains(name)) {
      return;
    }
    if (node == null) {
      throw new IllegalArgumentException("no node \"" + name + "\"; there are " + attachedNodes.keySet());
    }
    closedNodes.add(name);
    node.close("the node was closed");
    detachDevice(name, node.portNumber());
    system.stop(nodeActors.remove(name));
  }

  /** The link between a node and the switch. */
  public SimulatedLink link(String node) {
    return links.get(node);
  }

  /** Changes the faults of all links, also of nodes added later. */
  public void setFaults(LinkFaults newFaults) {
    faults = newFaults;
    switches.setFaults(newFaults);
    links.values().forEach(link -> link.setFaults(newFaults));
  }

  public VirtualSystem system() {
    return system;
  }

  @Override
  public Directory directory() {
    return directory;
  }

  @Override
  public MulticastGroups groups() {
    return spec.groups();
  }

  @Override
  public Config config() {
    return config;
  }

  /** The switch of the first node. */
  public ActorRef<SwitchActor.Command> leafSwitch() {
    return switches.first();
  }

  /** The current number of switches. */
  public int switchCount() {
    return switches.count();
  }

  /** Closes all nodes (see {@link Hca#close}) and stops all actors. */
  @Override
  public void close() {
    closed = true;
    List.copyOf(attachedNodes.values()).forEach(node -> node.close("the fabric was closed"));
    closedNodes.addAll(attachedNodes.keySet());
    attachedNodes.clear();
    system.close();
  }
}
