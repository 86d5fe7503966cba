package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.node.Directory;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.VirtualSystem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * A fabric of nodes around one switch in virtual time: the same actors as in real time, on one thread, from one seed. The thread that
 * creates it is the one that runs it; verbs are called on that thread, between runs or from handlers.
 */
public final class VirtualFabric implements AutoCloseable {
  private static final long ATTACH_TIME_MAX_NS = 1_000_000_000L;
  /** Locking pages would not change what is simulated. */
  private static final Config DEFAULTS = ConfigFactory.parseString("weft.hca.pin-memory = false");

  private final VirtualSystem system;
  private final Config config;
  private final StaticDirectory directory = new StaticDirectory();
  private final ActorRef<SwitchActor.Command> leafSwitch;
  private final NodeSpec spec;
  private final LinkProfile profile;
  private final Map<String, SimulatedLink> links = new LinkedHashMap<>();
  private LinkFaults faults;
  private int nextLid = 1;

  /**
   * A fabric without nodes.
   *
   * @param overrides settings over the modules' {@code reference.conf}; may be empty
   */
  public VirtualFabric(long seed, LinkProfile profile, LinkFaults faults, Config overrides) {
    this.profile = profile;
    this.faults = faults;
    system = VirtualSystem.create(seed, overrides.withFallback(DEFAULTS));
    config = system.system().settings().config();
    DispatcherSelector dispatcher = DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH);
    leafSwitch = system.spawn(SwitchActor.create(SwitchSettings.from(config), system.context(), dispatcher), "switch", dispatcher);
    Executor executor = system.system().executionContext();
    spec = NodeSpec.of(config, system.context(), directory, new StaticGroups(leafSwitch), leafSwitch, dispatcher, () -> true,
        executor, executor, Integer.MAX_VALUE);
  }

  /** A fabric with 1 us, 10 Gb/s links. */
  public static VirtualFabric create(long seed, LinkFaults faults) {
    return new VirtualFabric(seed, new LinkProfile(1_000, 10_000_000_000L), faults, ConfigFactory.empty());
  }

  /** Adds a node and runs until it is attached. */
  public Node addNode(String name) {
    int lid = nextLid++;
    SimulatedLink link = new SimulatedLink(system.context(), profile, faults, spec.virtualLanes(), system.faultRandom());
    NodeActor.PortedNode[] attached = new NodeActor.PortedNode[1];
    system.spawn(NodeActor.create(name, lid, spec, NodeLink.simulated(link), ported -> attached[0] = ported), name,
        spec.hardwareDispatcher());
    boolean done = system.runUntil(() -> attached[0] != null && attached[0].node().hca().lid() == lid, ATTACH_TIME_MAX_NS);
    if (!done) {
      throw new IllegalStateException("node " + name + " was not attached");
    }
    links.put(name, link);
    directory.add(new NodeEntry(name, lid, "local", attached[0].cm()));
    return attached[0].node();
  }

  /** Tells the others that a node has left; its actors stay and its link is cut. */
  public void loseNode(String name) {
    links.get(name).setPartitioned(true);
    directory.remove(name);
  }

  /** The link between a node and the switch. */
  public SimulatedLink link(String node) {
    return links.get(node);
  }

  /** Changes the faults of all links, also of nodes added later. */
  public void setFaults(LinkFaults newFaults) {
    faults = newFaults;
    links.values().forEach(link -> link.setFaults(newFaults));
  }

  public VirtualSystem system() {
    return system;
  }

  public Directory directory() {
    return directory;
  }

  public Config config() {
    return config;
  }

  public ActorRef<SwitchActor.Command> leafSwitch() {
    return leafSwitch;
  }

  @Override
  public void close() {
    system.close();
  }
}
