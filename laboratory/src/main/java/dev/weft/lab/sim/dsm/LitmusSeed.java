package dev.weft.lab.sim.dsm;

import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.objects.VirtualWaitStrategy;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import dev.weft.lab.trials.dsm.litmus.LitmusReport;
import dev.weft.lab.trials.dsm.litmus.LitmusRun;
import dev.weft.lab.trials.dsm.litmus.LitmusSettings;
import dev.weft.lab.trials.dsm.litmus.LitmusShape;
import dev.weft.lab.trials.dsm.litmus.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One run of a litmus shape: draws the shape, its placement, the nodes and the faults from the seed, and plays it. */
final class LitmusSeed extends FabricRun {
  /** Counted: played instances, and seen outcomes among the allowed ones. */
  static final String ROUND = "ROUND";
  static final String OUTCOME = "OUTCOME";

  /** Faults last some seconds at most, and a round takes some 0.1 ms. */
  private static final long LIVENESS_NS = 60_000_000_000L;
  private static final int NODES_MAX = 4;
  private static final long GRACE_MIN_NS = 50_000;
  private static final long LOOK_NS = 200;
  private static final int LOOKS_SHORT = 50;

  private final LitmusShape shape;
  private final LitmusSettings settings;
  private final FaultPlan plan;
  private final String setUp;
  private final AppThreads threads;
  private final List<DsmHost> hosts = new ArrayList<>();
  private final List<SharedSpace> spaces = new ArrayList<>();
  private int outcomes;
  private int rounds;

  LitmusSeed(long seed, LitmusOptions options, boolean charted) {
    Draw draw = new Draw(seed);
    FaultPlan all = DsmFaults.draw(draw.split(), options.faults());
    List<LitmusShape> shapes = options.shapes();
    LitmusShape shape = shapes.get(draw.between(0, shapes.size() - 1));
    Placement placement = shape.words() == 1 ? Placement.ONE_MINIPAGE : Placement.values()[draw.between(0, Placement.values().length - 1)];
    int nodes = draw.between(2, NODES_MAX);
    int parties = Math.max(nodes, shape.threads().size());
    LitmusSettings settings = new LitmusSettings("litmus", placement, options.rounds(), draw.pick(8, 32, 64), draw.pick(1, 4, 64), seed);
    DsmSettings dsm = withGrace(DsmScenario.drawSettings(draw.split(), options.engine()));
    LinkProfile profile = new LinkProfile(draw.pick(100, 1_000, 5_000), draw.chance(0.2) ? 0 : draw.pick(1, 10, 100) * 1_000_000_000L);
    super(seed, profile, DsmScenario.drawFabric(draw.split()), charted);
    this.shape = shape;
    this.settings = settings;
    plan = DsmFaults.only(all, nodes);
    setUp = shape.name() + " " + placement + ", " + nodes + " nodes, " + parties + " threads, batches of " + settings.batch() + ", "
        + dsm.context().configName() + ", " + dsm.engine().configName() + " engine, grace " + dsm.graceNs() + " ns";
    threads = new AppThreads(system);
    for (int i = 0; i < nodes; i++) {
      addHost(new DsmHost(i), dsm);
    }
    for (int i = 0; i < parties; i++) {
      spaces.add(new PacedSpace(hosts.get(i % nodes).space, draw.split()));
    }
    follow(plan, nodes);
  }

  /**
   * With a grace: threads that look at the same words in a loop would otherwise take them from each other for ever, because none could keep them
   * until it has looked.
   */
  private static DsmSettings withGrace(DsmSettings drawn) {
    return new DsmSettings(drawn.context(), drawn.memoryBytes(), drawn.minipagesMax(), drawn.threadsMax(), Math.max(drawn.graceNs(), GRACE_MIN_NS),
        drawn.placement() == HomePlacement.CENTRALIZED, drawn.readsByRdma(), drawn.buffers(), drawn.joinTimeoutNs(), drawn.engine());
  }

  private void addHost(DsmHost host, DsmSettings dsm) {
    hosts.add(host);
    host.node = addNode(host.name);
    host.space = DsmNode.join(host.node, "litmus", hosts.getFirst().name, dsm, new VirtualWaitStrategy(fabric), true);
  }

  @Override
  protected void live() {
    LitmusReport report = LitmusRun.run(shape, spaces, settings, this::play, LitmusSeed::lookLater);
    report.violations().forEach((outcome, count) -> violations().add(count + " times " + shape.describe(outcome) + ", which is forbidden; " + shape));
    report.seen().forEach((outcome, count) -> system.traceNote(outcome.hashCode() * 31L + count));
    outcomes = report.allowedSeen().size();
    rounds = (int) report.rounds();
  }

  @Override
  protected Result result() {
    RecoveryMarks marks = RecoveryMarks.none();
    for (DsmHost host : hosts) {
      collectLink(host.name);
      marks = marks.plus(RecoveryMarks.of(host.node.hca().inspect().counters()));
    }
    return result(Map.of(ROUND, rounds, OUTCOME, outcomes), marks, 0, setUp + "; faults: " + plan);
  }

  /** The longer a thread has waited for the others, the later it looks again. */
  private static void lookLater(int attempt) {
    AppThread.current().compute(Math.min(attempt, LOOKS_SHORT) * LOOK_NS);
  }

  /** Runs all threads at once, during the faults; a failed thread ends the run. */
  private void play(List<Runnable> bodies) {
    List<AppThread> started = new ArrayList<>();
    for (int i = 0; i < bodies.size(); i++) {
      Runnable body = bodies.get(i);
      started.add(threads.start("t" + i, me -> body.run()));
    }
    runFaults();
    if (!system.runUntil(threads::isDone, LIVENESS_NS)) {
      throw new IllegalStateException(started + " have not ended " + LIVENESS_NS / 1_000_000_000L + " s after the faults");
    }
  }

  // Called by the faults.

  @Override
  public String nodeName(int node) {
    return hosts.get(node).name;
  }

  @Override
  public boolean isDecided() {
    return false;
  }

  @Override
  public void begin(Fault fault, long endNs) {
    hosts.get(fault.node()).begin(fault, system);
  }

  @Override
  public void end(Fault fault) {
    hosts.get(fault.node()).end(fault, system);
  }

  @Override
  protected void endThreads() {
    threads.close();
  }
}
