package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.time.Clock;
import dev.weft.fabric.trunk.TrunkCable;
import dev.weft.fabric.trunk.TrunkEndpoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The trunks of a JVM and the routes over them. {@link #apply} compares them with a view and makes the missing changes, so it
 * may be repeated. The agent's thread.
 */
final class TrunkTable {
  private static final Logger LOG = LoggerFactory.getLogger(TrunkTable.class);

  private final TrunkEndpoint endpoint;
  private final HardwareDispatcher hardware;
  private final Clock clock;
  private final ActorRef<SwitchActor.Command> leaf;
  private final ActorRef<SwitchActor.AttachReply> replyTo;
  private final Consumer<JvmEntry> onDeath;
  private final Map<String, Trunk> trunks = new LinkedHashMap<>();
  private final Map<Integer, Integer> portByLid = new HashMap<>();
  private long connects;

  private static final class Trunk {
    final JvmEntry peer;
    final TrunkEndpoint.Line line;
    /** Whether the cluster's failure detector hears the peer; for inspection. */
    boolean reachable = true;
    final String name;
    int portNumber;
    volatile TrunkCable cable;
    /** Used on the hardware thread. */
    boolean removed;
    /** Null if the peer is not known to be a process of this host. */
    ProcessWatch watch;

    Trunk(JvmEntry peer, TrunkEndpoint.Line line, long number) {
      this.peer = peer;
      this.line = line;
      this.name = "trunk-" + peer.number() + "-" + number;
    }

    TrunkCable lay(TrunkEndpoint endpoint, ActorRef<HardwareMessage> port, Clock clock) {
      if (removed) {
        throw new IllegalStateException("the trunk was removed before it was laid");
      }
      cable = endpoint.lay(line, port, clock);
      return cable;
    }
  }

  /** {@code onDeath} gets each peer on this host whose process has ended, on any thread. */
  TrunkTable(
      ActorSystem<?> system,
      TrunkEndpoint endpoint,
      ActorRef<SwitchActor.Command> leaf,
      ActorRef<SwitchActor.AttachReply> replyTo,
      Consumer<JvmEntry> onDeath) {
    this.onDeath = onDeath;
    this.endpoint = endpoint;
    this.hardware = HardwareDispatcher.of(system);
    this.clock = HardwareDispatcher.realContext(system).clock();
    this.leaf = leaf;
    this.replyTo = replyTo;
  }

  /**
   * Makes the trunks and routes as in {@code view}. Does nothing while this JVM has no number. The trunk to a JVM that does not answer stays
   * up, because the JVM may only be paused; packets to it wait. The trunk to a JVM that is no longer in the view is removed.
   */
  void apply(FabricView view, JvmEntry self) {
    if (self.number() == 0) {
      return;
    }
    for (Trunk trunk : List.copyOf(trunks.values())) {
      JvmEntry now = view.jvm(trunk.peer.jvm());
      if (now == null || !now.with(now.number(), true).equals(trunk.peer.with(trunk.peer.number(), true))) {
        remove(trunk);
      }
    }
    for (JvmEntry peer : view.jvms()) {
      if (!peer.jvm().equals(self.jvm())) {
        if (!trunks.containsKey(peer.jvm())) {
          connect(peer);
        }
        Trunk trunk = trunks.get(peer.jvm());
        if (trunk != null) {
          trunk.reachable = peer.reachable();
        }
      }
    }
    route(view, self);
  }

  private void connect(JvmEntry peer) {
    TrunkEndpoint.Line line;
    try {
      line = endpoint.connect(peer.number(), peer.trunks());
    } catch (RuntimeException e) {
      LOG.error("no trunk to JVM {}, will be tried again: {}", peer.jvm(), e.getMessage());
      return;
    }
    Trunk trunk = new Trunk(peer, line, ++connects);
    trunks.put(peer.jvm(), trunk);
    if (line.memory() != null) { // The process is on this host, and its number is right.
      trunk.watch = ProcessWatch.start(peer.trunks().processId(), () -> onDeath.accept(peer));
    }
    leaf.tell(new SwitchActor.AttachPort(trunk.name, 0, false, port -> {
      TrunkCable cable = trunk.lay(endpoint, port, clock);
      hardware.addPoller(cable);
      return cable;
    }, replyTo));
  }

  void onSwitchAnswered(SwitchActor.AttachReply reply, FabricView view, JvmEntry self) {
    switch (reply) {
      case SwitchActor.PortAttached attached -> {
        Trunk trunk = byName(attached.name());
        if (trunk == null || trunk.portNumber != 0) {
          leaf.tell(new SwitchActor.DetachPort(attached.portNumber())); // The trunk was removed before the switch attached it.
        } else {
          trunk.portNumber = attached.portNumber();
          route(view, self);
        }
      }
      case SwitchActor.AttachRefused refused -> {
        Trunk trunk = byName(refused.name());
        if (trunk != null) {
          LOG.error("no switch port for the trunk to {}: {}", trunk.peer.jvm(), refused.reason());
          remove(trunk);
        }
      }
    }
  }

  /** Returns the port of the trunk to the JVM with a number, or 0. */
  int portOf(int jvmNumber) {
    for (Trunk trunk : trunks.values()) {
      if (trunk.peer.number() == jvmNumber) {
        return trunk.portNumber;
      }
    }
    return 0;
  }

  private Trunk byName(String name) {
    for (Trunk trunk : trunks.values()) {
      if (trunk.name.equals(name)) {
        return trunk;
      }
    }
    return null;
  }

  /** Sets the routes to the LIDs of other JVMs; the switch itself sets those of this JVM. */
  private void route(FabricView view, JvmEntry self) {
    Map<Integer, Integer> wanted = new LinkedHashMap<>();
    for (NodeEntry node : view.nodes()) {
      Trunk trunk = trunks.get(node.jvm());
      if (trunk != null && trunk.portNumber != 0 && !node.jvm().equals(self.jvm())) {
        wanted.put(node.lid(), trunk.portNumber);
      }
    }
    for (Integer lid : List.copyOf(portByLid.keySet())) {
      if (!wanted.containsKey(lid)) {
        portByLid.remove(lid);
        leaf.tell(new SwitchActor.ClearRoute(lid));
      }
    }
    wanted.forEach((lid, port) -> {
      if (!port.equals(portByLid.put(lid, port))) {
        leaf.tell(new SwitchActor.SetRoute(lid, port));
      }
    });
  }

  private void remove(Trunk trunk) {
    trunks.remove(trunk.peer.jvm());
    if (trunk.watch != null) {
      trunk.watch.close();
    }
    if (trunk.portNumber != 0) {
      portByLid.values().removeIf(port -> port == trunk.portNumber);
      leaf.tell(new SwitchActor.DetachPort(trunk.portNumber));
    }
    hardware.execute(() -> unplug(trunk));
    trunk.line.publication().close();
  }

  private void unplug(Trunk trunk) {
    trunk.removed = true;
    TrunkCable cable = trunk.cable;
    if (cable != null) {
      hardware.removePoller(cable);
      endpoint.unplug(trunk.line, cable);
    }
  }

  void closeAll() {
    for (Trunk trunk : List.copyOf(trunks.values())) {
      remove(trunk);
    }
  }

  List<TrunkSnapshot> snapshot() {
    List<TrunkSnapshot> all = new ArrayList<>();
    for (Trunk trunk : trunks.values()) {
      TrunkCable cable = trunk.cable;
      if (cable != null) {
        all.add(new TrunkSnapshot(trunk.peer.jvm(), trunk.portNumber, trunk.line.overUdp(), trunk.reachable && cable.isUp(),
            cable.maxPayloadBytes(), cable.counters(), cable.receiveCounters()));
      }
    }
    return all;
  }
}
