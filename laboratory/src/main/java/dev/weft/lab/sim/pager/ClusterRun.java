package dev.weft.lab.sim.pager;

import com.typesafe.config.Config;
import dev.weft.fabric.link.LinkObserver;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.Marks;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.WireChecker;
import dev.weft.pager.server.MemoryServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** One run: draws everything from the seed, executes it, and checks the final state. */
final class ClusterRun extends FabricRun {
  private static final long LIVENESS_FACTOR = 10;
  /** Longer than the time in which a server notices that a client is gone, and a client reaches it again: 17.2 s. */
  private static final long SETTLE_NS = 22_000_000_000L;

  /** More than a memory server needs to stop. */
  private static final long RESTART_NS = 1_000;

  private final ClusterScenario scenario;
  private final FaultPlan plan;
  private final Outages outages = new Outages();
  private final WireChecker wire;
  private final List<SimHost> hosts = new ArrayList<>();
  private final List<Node> everyNode = new ArrayList<>();
  private final List<DeviceHistory> histories = new ArrayList<>();
  private final Map<OpKind, Integer> operations = new EnumMap<>(OpKind.class);
  private final Draw clientDraw;
  /** The branches that the roles have passed. */
  private final Marks executed = new Marks();
  private long nextOpId = 1;
  private long stoppedNs = -1;
  private int undecided;

  ClusterRun(long seed, ClusterOptions options, Config reference, boolean charted) {
    Draw draw = new Draw(seed);
    ClusterScenario scenario = ClusterScenario.draw(draw.split(), options, reference);
    super(seed, scenario.profile(), scenario.settings(), charted);
    startWatchDog();
    this.scenario = scenario;
    plan = FaultPlan.draw(draw.split(), options.faults(),
        new FaultPlan.Cast(scenario.servers(), scenario.clients(), scenario.nodes()));
    clientDraw = draw.split();
    wire = new WireChecker(violations(), this::inspect, scenario.pathMtu());
    build();
    follow(plan, scenario.nodes());
  }

  private void build() {
    for (int i = 0; i < scenario.nodes(); i++) {
      SimHost host = new SimHost(i, nodeName(i));
      hosts.add(host);
      addNode(host);
    }
    for (SimHost host : hosts) {
      if (isServer(host)) {
        startServer(host);
      }
    }
    system.runFor(1_000);
    for (SimHost host : hosts) {
      if (isClient(host)) {
        startClient(host, scenario.ops());
      }
    }
  }

  private boolean isServer(SimHost host) {
    return host.index < scenario.servers();
  }

  private boolean isClient(SimHost host) {
    return !isServer(host) && host.index < scenario.servers() + scenario.clients();
  }

  @Override
  public String nodeName(int index) {
    int clients = index - scenario.servers();
    return clients < 0 ? "s" + index : clients < scenario.clients() ? "c" + clients : "i" + (clients - scenario.clients());
  }

  private void addNode(SimHost host) {
    host.node = addNode(host.name);
    everyNode.add(host.node);
  }

  @Override
  protected void observe(String node) {
    fabric.link(node).observe(this::onPacket);
  }

  private void startServer(SimHost host) {
    host.server = MemoryServer.start(host.node, MemoryServer.SERVICE, scenario.server());
    int incarnation = host.incarnation;
    int own = ++host.serverRuns;
    watch(host.server.actor(), () -> host.incarnation != incarnation || host.serverRuns != own);
  }

  private void startClient(SimHost host, int ops) {
    host.client = new SimClient(this, host.node, host.index, ops, clientDraw.split());
    host.client.start();
  }

  private void onPacket(boolean fromNode, Packet packet, LinkObserver.Fate fate, long arrivalNs) {
    long nowNs = system.nowNs();
    wire.onPacket(fromNode, packet, fate, nowNs, arrivalNs);
    if (isCharted()) {
      chart().packet(fromNode, packet, fate, nowNs, arrivalNs);
    }
  }

  private HcaSnapshot inspect(int lid) {
    Node node = nodeAt(lid);
    return node == null ? null : node.hca().inspect();
  }

  // The course of a run.

  @Override
  protected void live() {
    executed.during(this::play);
  }

  private void play() {
    driver().run();
    if (isDecided()) {
      return;
    }
    startServersThatAreNeeded();
    driver().stopCables();
    note("all faults are over");
    stoppedNs = system.nowNs();
    long limitNs = LIVENESS_FACTOR * scenario.client().requestTimeoutNs();
    awaitClients("the workload", SimClient::isIdle, limitNs);
    if (isDecided()) {
      return;
    }
    clients().forEach(SimClient::finish);
    awaitClients("reading everything once more", SimClient::isFinished, limitNs);
    if (!isDecided()) {
      system.runFor(SETTLE_NS);
      wire.settle(system.nowNs());
      new ClusterAudit(this, fabric, wire, outages).checkFinished(violations());
    }
    for (DeviceHistory history : histories) {
      undecided += history.checkSectors();
    }
  }

  private void awaitClients(String what, Predicate<SimClient> condition, long limitNs) {
    boolean done = system.runUntil(() -> isDecided() || clients().stream().allMatch(condition), limitNs);
    if (!done) {
      violations().add(what + " is not done " + limitNs / 1_000_000_000L + " s after the faults: "
          + clients().stream().map(SimClient::state).toList());
    }
  }

  @Override
  protected Result result() {
    RecoveryMarks marks = new RecoveryMarks(executed.counts());
    RecoveryMarks recovery = RecoveryMarks.none();
    for (Node node : everyNode) {
      recovery = recovery.plus(traced(node));
    }
    for (SimHost host : hosts) {
      collectLink(host.name);
    }
    return result(Names.of(operations), marks.plus(recovery), undecided, scenario + "; faults: " + plan);
  }

  // Called by the faults.

  @Override
  public int incarnation(int node) {
    return hosts.get(node).incarnation;
  }

  @Override
  public boolean mayBegin(Fault fault) {
    SimHost host = hosts.get(fault.node());
    boolean standsStill = host.pauses > 0 && fault.kind() == FaultClass.SERVER_RESTART;
    return !host.isDown && !standsStill;
  }

  @Override
  public void begin(Fault fault, long endNs) {
    super.begin(fault, endNs);
    SimHost host = hosts.get(fault.node());
    if (fault.kind() != FaultClass.LATENCY) {
      outages.add(host.index, fault.kind(), system.nowNs(), endNs);
    }
    switch (fault.kind()) {
      case SLOW_SERVER -> {
        if (fault.amount() == Fault.FOR_EVER) {
          system.pause(host.serverPath());
        } else {
          system.slow(host.serverPath(), fault.amount());
        }
      }
      case PAUSE -> host.pause(system);
      case SERVER_CRASH, CLIENT_CRASH -> crash(host);
      case SERVER_RESTART -> restartServer(host);
      case CONNECTION_LOSS -> {
        if (host.client.device() != null) {
          host.client.device().dropConnection((int) fault.amount());
        }
      }
      case DISK -> throw new IllegalStateException(fault + " is not known here");
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { } // Cables.
    }
  }

  @Override
  public void end(Fault fault) {
    super.end(fault);
    SimHost host = hosts.get(fault.node());
    switch (fault.kind()) {
      case SLOW_SERVER -> system.resume(host.serverPath());
      case PAUSE -> host.goOn(system);
      case SERVER_CRASH, CLIENT_CRASH -> {
        restart(host);
        driver().replug(host.index);
      }
      case CONNECTION_LOSS, SERVER_RESTART -> { } // They have no duration.
      case DISK -> throw new IllegalStateException(fault + " is not known here");
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { } // Cables.
    }
  }

  private void crash(SimHost host) {
    driver().unplug(host.index);
    host.isDown = true;
    host.incarnation++;
    if (host.client != null) {
      host.client.die();
    }
    if (isServer(host)) {
      clients().stream().filter(client -> client.device() != null).forEach(client -> client.history().serverDied(host.index));
    }
    forget(host.node);
    system.resume(host.path());
    system.resume(host.serverPath());
    collectLink(host.name);
    fabric.crashNode(host.name);
  }

  /** The memory server ends in order, and an empty one replaces it. */
  private void restartServer(SimHost host) {
    clients().stream().filter(client -> client.device() != null).forEach(client -> client.history().serverDied(host.index));
    system.resume(host.serverPath());
    host.serverRuns++;
    host.server.stop();
    system.runFor(RESTART_NS);
    startServer(host);
  }

  private void restart(SimHost host) {
    host.isDown = false;
    host.pauses = 0;
    host.stoodStill = false;
    addNode(host);
    if (isServer(host)) {
      startServer(host);
    } else {
      startClient(host, Math.max(10, host.client.opsLeft()));
    }
  }

  /** A client needs all servers to open a device: restarts dead servers if a client has no device. */
  private void startServersThatAreNeeded() {
    boolean isNeeded = clients().stream().anyMatch(client -> client.device() == null);
    for (SimHost host : hosts) {
      if (isNeeded && host.isDown && isServer(host)) {
        note(host.name + " is started again, because somebody needs it");
        restart(host);
      }
    }
  }

  // Called by clients.

  boolean areAllServersUp() {
    return hosts.stream().noneMatch(host -> host.isDown && isServer(host));
  }

  DeviceHistory newHistory(String name) {
    DeviceHistory history = new DeviceHistory(name, scenario.servers(), scenario.areaBytes(), violations());
    histories.add(history);
    return history;
  }

  long nextOpId() {
    return nextOpId++;
  }

  void onBegin(SimClient client, DeviceHistory.Op op) {
    operations.merge(op.kind, 1, Integer::sum);
    if (isCharted()) {
      note(client.node().name() + " begins " + op);
    }
  }

  void onEnd(SimClient client, DeviceHistory.Op op) {
    system.traceNote(op.id << 8 ^ op.errno);
    if (isCharted()) {
      note(client.node().name() + " ends " + op + ": errno " + op.errno);
    }
    long limitNs = LIVENESS_FACTOR * scenario.client().requestTimeoutNs();
    if (stoppedNs >= 0 && op.endNs - Math.max(stoppedNs, op.beginNs) > limitNs) {
      violations().add(op + " took more than " + limitNs + " ns after the faults");
    }
  }

  /** A device could not be opened. */
  void onOpenFailed(SimClient client, String reason, long startNs) {
    note(client.node().name() + " could not open: " + reason);
    if (!plan.hurtsNodes()) {
      violations().add(client.node().name() + " could not open a device though every node was well: " + reason);
    }
  }

  /** A client gives its device up, because it has lost a server. */
  void onClosing(SimClient client) {
    note(client.node().name() + " closes its device");
    boolean[] excused = new boolean[scenario.servers()];
    for (int server = 0; server < excused.length; server++) {
      excused[server] = isExcused(client, server);
    }
    client.history().checkErrors(excused);
  }

  boolean isExcused(SimClient client, int server) {
    return outages.excuse(client.nodeIndex(), server, client.openedNs(), scenario.client().requestTimeoutNs());
  }

  ClusterScenario scenario() {
    return scenario;
  }

  List<SimHost> hosts() {
    return hosts;
  }

  List<SimClient> clients() {
    return hosts.stream().filter(host -> host.client != null).map(host -> host.client).toList();
  }
}
