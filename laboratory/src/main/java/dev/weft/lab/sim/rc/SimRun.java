package dev.weft.lab.sim.rc;

import akka.actor.typed.ActorRef;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One run: draws everything from the seed, executes it, and checks the final state. */
final class SimRun extends FabricRun implements RunJournal {
  private static final int CONNECTIONS_MAX = 5;
  private static final long DRAIN_NS = 3_000_000;
  /** Time limit after the end of the faults. The liveness check is stricter, but only sees what completes. */
  private static final long LIMIT_NS = 2_000_000_000L;

  private final Scenario scenario;
  private final FaultPlan faults;
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<SimEnd> ends = new ArrayList<>();
  private final List<ActorRef<Application.Command>> applications = new ArrayList<>();
  private final SideTraffic side;
  private final Map<WrOpcode, Integer> operations = new EnumMap<>(WrOpcode.class);
  private long faultsStoppedNs = -1;
  private int completionsLeft;
  private int postsLeft;
  private int drains;
  private boolean over;

  SimRun(long seed, SimulationOptions options, SimulationMemory memory, boolean charted) {
    Draw draw = new Draw(seed);
    Scenario scenario = Scenario.draw(draw.split());
    super(seed, scenario.profile(), scenario.settings(), charted);
    this.scenario = scenario;
    for (int i = 0; i < scenario.nodes(); i++) {
      nodes.add(new SimNode(i, draw.split()));
    }
    drawConnections(draw.split());
    long timeoutMinNs = ends.stream().mapToLong(end -> end.shape.timeoutNs()).min().orElseThrow();
    faults = RcFaults.draw(draw.split(), options, scenario.nodes(), timeoutMinNs);
    Draw building = draw.split();
    side = new SideTraffic(this, draw.split(), nodes, faults);
    follow(faults, nodes.size());
    build(memory, building);
  }

  private void drawConnections(Draw draw) {
    boolean hotSpot = draw.chance(0.3);
    for (int left = draw.between(1, CONNECTIONS_MAX); left > 0; left--) {
      int a = draw.between(0, nodes.size() - 1);
      // Occasionally a node connects to itself, through the switch.
      int other = hotSpot && a != 0 ? 0 : (a + draw.between(1, nodes.size() - 1)) % nodes.size();
      int b = draw.chance(0.05) ? a : other;
      int mtu = draw.chance(0.05) ? 8192 : draw.pick(256, 512, 1024, 2048, 4096);
      int serviceLevel = draw.chance(0.5) ? 0 : draw.between(0, 15);
      SimEnd one = addEnd(nodes.get(a), mtu, serviceLevel, draw);
      SimEnd two = addEnd(nodes.get(b), mtu, serviceLevel, draw);
      one.plan(two);
      two.plan(one);
      one.planReceives();
      two.planReceives();
    }
    for (SimEnd end : ends) {
      end.ops().forEach(op -> operations.merge(op.kind, 1, Integer::sum));
      completionsLeft += end.completionsDue();
      postsLeft += end.ops().size() + end.inbox().total();
    }
  }

  private SimEnd addEnd(SimNode node, int mtu, int serviceLevel, Draw draw) {
    SimEnd end = new SimEnd(this, ends.size(), node, EndShape.draw(draw, node), mtu, serviceLevel, draw.split());
    ends.add(end);
    return end;
  }

  private void build(SimulationMemory memory, Draw draw) {
    for (SimNode node : nodes) {
      node.register(addNode(nodeName(node.index)), memory);
      node.cqs.forEach(cq -> cq.join(this::onCompletion));
    }
    ends.forEach(SimEnd::create);
    ends.forEach(SimEnd::connect);
    side.flows().forEach(flow -> flow.create(memory));
    for (SimNode node : nodes) {
      ActorRef<Application.Command> application =
          node.node.spawnRole(Application.create(this, system.context(), draw.split()), "application");
      applications.add(application);
      for (SimCq cq : node.cqs) {
        cq.start();
        if (cq.isPolled()) {
          application.tell(new Application.Poll(cq));
        }
      }
    }
    for (SimEnd end : ends) {
      system.timers().at(system.nowNs() + draw.between(0, 50_000), applications.get(end.node.index), new Application.Step(end));
    }
    for (SideFlow flow : side.flows()) {
      system.timers().at(system.nowNs() + draw.between(0, 50_000), applications.get(flow.home().index), new Application.Flow(flow));
    }
  }

  @Override
  protected void live() {
    runFaults();
    faultsStoppedNs = system.nowNs();
    note("all faults are over");
    system.runUntil(this::isDecided, LIMIT_NS);
    over = true;
    if (violations().isEmpty()) {
      system.runFor(DRAIN_NS);
      audit();
    }
  }

  @Override
  public String nodeName(int node) {
    return "n" + node;
  }

  @Override
  public boolean isDecided() {
    return (completionsLeft == 0 && postsLeft == 0 && noneDraining() && side.isDone()) || !violations().isEmpty();
  }

  private boolean noneDraining() {
    for (SimEnd end : ends) {
      if (end.qp().state() == QpState.SQD) {
        return false;
      }
    }
    return true;
  }

  private void audit() {
    nodes.forEach(this::pollEvents);
    List<Checker> checkers = new ArrayList<>(side.flows());
    checkers.addAll(ends);
    checkers.addAll(nodes);
    checkers.add(new Audit(fabric, scenario, nodes, ends, () -> side.flows().stream().mapToLong(SideFlow::atomicsPosted).sum()));
    checkers.forEach(checker -> checker.checkFinished(violations()));
  }

  /** Adds asynchronous events and failed queue pairs, which help to find the cause. */
  private void explain() {
    for (SimNode node : nodes) {
      pollEvents(node);
      node.hca.inspect().queuePairs().stream().filter(qp -> qp.state() != QpState.RTS)
          .forEach(qp -> violations().explain("node " + node.index + " has " + qp));
    }
  }

  @Override
  protected Result result() {
    if (!violations().isEmpty()) {
      explain();
    }
    RecoveryMarks marks = RecoveryMarks.one("send queue drained", drains);
    for (SimNode node : nodes) {
      marks = marks.plus(traced(node.node));
      collectLink(nodeName(node.index));
    }
    return result(Names.of(operations), marks, 0, shape());
  }

  /** None: partitions appear in the counts of cables, and nodes have no other faults. */
  @Override
  protected Map<String, Integer> faultCounts() {
    return Map.of();
  }

  private String shape() {
    return scenario.nodes() + " nodes, " + ends.size() / 2 + " connections, " + side.flows().size() + " other flows, " + scenario.profile() + ", "
        + (faults.isCalm() ? "no faults" : faults.link() + ", " + faults.faults().size() + " partitions, all until "
            + faults.stopNs() + " ns");
  }

  // Called by the parts of the run.

  private void onCompletion(SimCq cq, WorkCompletion wc) {
    note(wc.wrId() ^ ((long) wc.status().ordinal() << 40) ^ wc.immData());
    int id = (int) ((wc.wrId() & ~Inbox.RECEIVE_BIT) >>> 32);
    boolean receive = (wc.wrId() & Inbox.RECEIVE_BIT) != 0;
    if (id >= ends.size() || ends.get(id).node != cq.node) {
      violations().add("completion queue " + cq.number + " of node " + cq.node.index + " has a completion that is not its own: " + wc);
      return;
    }
    SimEnd end = ends.get(id);
    if (cq.number != (receive ? end.shape.receiveCq() : end.shape.sendCq())) {
      violations().add(end + ": a completion came to the wrong completion queue: " + wc);
    } else if (receive) {
      end.inbox().onCompletion(wc);
    } else {
      end.onSendCompletion(wc);
    }
  }

  /** Handles the reports of a node's HCA. Called before each step of its ends. */
  void pollEvents(SimNode node) {
    for (AsyncEvent event = node.hca.pollAsyncEvent(); event != null; event = node.hca.pollAsyncEvent()) {
      AsyncEvent seen = event;
      switch (event.type()) {
        case PORT_ACTIVE, COMM_EST, LID_CHANGE -> { }
        case SQ_DRAINED -> ends.stream().filter(end -> end.node == node && end.qp().qpNum() == seen.number())
            .forEach(SimEnd::onDrained);
        default -> {
          if (!side.causes(node, event)) {
            violations().add("node " + node.index + " reported " + event);
          }
        }
      }
    }
  }

  @Override
  public void onOperation(WrOpcode kind) {
    operations.merge(kind, 1, Integer::sum);
  }

  @Override
  public void onDrained() {
    drains++;
  }

  @Override
  public void onCompletionSeen() {
    completionsLeft--;
  }

  @Override
  public void onPosted(long index) {
    postsLeft--;
    note(index);
  }

  @Override
  public void note(long fact) {
    system.traceNote(fact);
  }

  @Override
  public long faultsStoppedNs() {
    return faultsStoppedNs;
  }

  boolean isOver() {
    return over;
  }
}
