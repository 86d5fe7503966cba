package dev.weft.hca.node;

import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.time.VirtualSystem;
import java.util.ArrayList;
import java.util.List;

/**
 * The switches of a fabric in virtual time: one switch, or a tree of two levels. In the tree a packet goes up at most once and then down, so credits
 * cannot deadlock. The destination LID alone selects the spine, so packets of one flow keep their order. Used on the simulation's thread only.
 */
final class VirtualSwitches {
  private static final long CABLING_TIME_MAX_NS = 1_000_000_000L;

  /** A leaf and the port numbers of its trunks. */
  private record Leaf(ActorRef<SwitchActor.Command> actor, int[] portToSpine, int[] portAtSpine) {}

  private final VirtualSystem system;
  private final SwitchSettings settings;
  private final FabricShape shape;
  private final LinkProfile trunkProfile;
  private final DispatcherSelector dispatcher;
  private final List<ActorRef<SwitchActor.Command>> spines = new ArrayList<>();
  private final List<Leaf> leaves = new ArrayList<>();
  private final List<SimulatedLink> trunks = new ArrayList<>();
  /** Index of the leaf of each LID; LIDs count from 1. */
  private final List<Integer> leafByLid = new ArrayList<>();
  private LinkFaults faults;

  /** @param trunkProfile cost of a cable between two switches, the receiving switch included, in both directions */
  VirtualSwitches(VirtualSystem system, SwitchSettings settings, FabricShape shape, LinkProfile trunkProfile, LinkFaults faults,
      DispatcherSelector dispatcher) {
    this.system = system;
    this.settings = settings;
    this.shape = shape;
    this.trunkProfile = trunkProfile;
    this.faults = faults;
    this.dispatcher = dispatcher;
    for (int i = 1; i <= shape.spines(); i++) {
      spines.add(spawn("spine-" + i));
    }
    addLeaf(shape.isOneSwitch() ? "switch" : "leaf-1");
  }

  private ActorRef<SwitchActor.Command> spawn(String name) {
    return system.spawn(SwitchActor.create(settings, system.context(), dispatcher), name, dispatcher);
  }

  /** The leaf of the first node, which is the only switch of a fabric with one. */
  ActorRef<SwitchActor.Command> first() {
    return leaves.getFirst().actor();
  }

  /** The number of switches. */
  int count() {
    return spines.size() + leaves.size();
  }

  /** Returns the leaf for the node with this LID, and adds a leaf if needed. The first calls for each LID come in ascending order from 1. */
  ActorRef<SwitchActor.Command> leafOf(int lid) {
    int index = (lid - 1) / shape.hostsPerLeaf();
    if (index == leaves.size()) {
      addLeaf("leaf-" + (index + 1));
    }
    leafByLid.add(index);
    for (int other = 0; other < leaves.size(); other++) {
      if (other != index) {
        routeUp(leaves.get(other), lid);
      }
    }
    for (int spine = 0; spine < spines.size(); spine++) {
      spines.get(spine).tell(new SwitchActor.SetRoute(lid, leaves.get(index).portAtSpine()[spine]));
    }
    return leaves.get(index).actor();
  }

  void setFaults(LinkFaults newFaults) {
    faults = newFaults;
    trunks.forEach(trunk -> trunk.setFaults(newFaults));
  }

  private void routeUp(Leaf leaf, int lid) {
    leaf.actor().tell(new SwitchActor.SetRoute(lid, leaf.portToSpine()[lid % spines.size()]));
  }

  private void addLeaf(String name) {
    Leaf leaf = new Leaf(spawn(name), new int[spines.size()], new int[spines.size()]);
    for (int spine = 0; spine < spines.size(); spine++) {
      layTrunk(leaf, name, spine);
    }
    for (int lid = 1; lid <= leafByLid.size(); lid++) {
      routeUp(leaf, lid);
    }
    leaves.add(leaf);
  }

  private void layTrunk(Leaf leaf, String leafName, int spine) {
    SimulatedLink trunk = new SimulatedLink(system.context(), trunkProfile, trunkProfile, faults, settings.virtualLanes(),
        system.faultRandom());
    trunks.add(trunk);
    Ends ends = new Ends(trunk);
    String spineName = "spine-" + (spine + 1);
    ActorRef<SwitchActor.AttachReply> replies = system.spawn(
        Behaviors.receiveMessage(reply -> {
          ends.attached(reply, leafName);
          return ends.isAttached() ? Behaviors.stopped() : Behaviors.same();
        }), "cabling-" + leafName + "-" + spineName, dispatcher);
    leaf.actor().tell(new SwitchActor.AttachPort(spineName, 0, false, ends::fromLeaf, replies));
    spines.get(spine).tell(new SwitchActor.AttachPort(leafName, 0, false, ends::fromSpine, replies));
    if (!system.runUntil(ends::isAttached, CABLING_TIME_MAX_NS)) {
      throw new IllegalStateException(leafName + " and " + spineName + " were not cabled: " + ends.refusal);
    }
    leaf.portToSpine()[spine] = ends.leafPort;
    leaf.portAtSpine()[spine] = ends.spinePort;
    // The far end comes up when it learns that this end is up, as with a trunk in real time.
    ends.leaf.tell(new CableMessage.LinkState(true, 0));
    system.runFor(2 * trunkProfile.latencyNs() + 1);
  }

  /** Both ends of a trunk while it is being connected. */
  private static final class Ends {
    private final SimulatedLink link;
    private ActorRef<HardwareMessage> leaf;
    private ActorRef<HardwareMessage> spine;
    private int leafPort;
    private int spinePort;
    private String refusal = "no answer";

    Ends(SimulatedLink link) {
      this.link = link;
    }

    Cable fromLeaf(ActorRef<HardwareMessage> port) {
      leaf = port;
      connectIfBoth();
      return link.fromA();
    }

    Cable fromSpine(ActorRef<HardwareMessage> port) {
      spine = port;
      connectIfBoth();
      return link.fromB();
    }

    private void connectIfBoth() {
      if (leaf != null && spine != null) {
        link.connect(leaf, spine);
      }
    }

    void attached(SwitchActor.AttachReply reply, String leafName) {
      switch (reply) {
        case SwitchActor.PortAttached port when port.name().equals(leafName) -> spinePort = port.portNumber();
        case SwitchActor.PortAttached port -> leafPort = port.portNumber();
        case SwitchActor.AttachRefused refused -> refusal = refused.reason();
      }
    }

    boolean isAttached() {
      return leafPort > 0 && spinePort > 0;
    }
  }
}
