package dev.weft.lab.sim.dsm;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharedMemoryException;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.VirtualWaitStrategy;
import dev.weft.dsm.objects.WaitStrategy;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run: draws everything from the seed, executes it, and checks the final state. */
final class DsmRun extends FabricRun {
  private static final String SPACE = "sim";
  /** Far more than the programs need: the last lost packet is sent again after 2.1 s, a few times in a row. */
  private static final long LIVENESS_NS = 20_000_000_000L;
  /** A leaving node has done one part in this many of its programs. */
  private static final int LEAVES_AFTER = 3;
  private static final long LOOK_NS = 5_000;
  /** Delay between the reports of the loss of two nodes of one JVM. */
  private static final long GAP_NS = 3_000;
  private static final long SETTLE_NS = 5_000_000_000L;

  private final DsmScenario scenario;
  private final FaultPlan plan;
  private final int leaver;
  private final int perJvm;
  private final AppThreads threads;
  private final WordHistories histories;
  private final SyncCheck sync;
  private final RightsCheck rights;
  private final ReleaseCheck release;
  private final Ambush ambush;
  private final boolean mayBeSlow;
  private final List<DsmHost> hosts = new ArrayList<>();
  /** The nodes that died in each crash. */
  private final Map<Fault, List<DsmHost>> crashes = new IdentityHashMap<>();
  private final Map<OpKind, Integer> operations = new EnumMap<>(OpKind.class);
  private final DsmCounts counts = new DsmCounts();
  private int undecided;
  private int nextThread;
  private int leaves;
  private boolean anyCrash;

  DsmRun(long seed, DsmOptions options, boolean charted) {
    Draw draw = new Draw(seed);
    Draw ofScenario = draw.split();
    FaultPlan all = DsmFaults.draw(draw.split(), options.faults());
    boolean hasCrash = all.faults().stream().anyMatch(fault -> fault.kind().isCrash());
    DsmScenario scenario = DsmScenario.draw(ofScenario, options, !hasCrash);
    super(seed, scenario.profile(), scenario.fabric(), charted);
    startWatchDog();
    this.scenario = scenario;
    plan = DsmFaults.only(all, scenario.nodes());
    leaver = drawLeaver(draw.split());
    Draw ofAmbush = draw.split();
    perJvm = options.perJvm();
    threads = new AppThreads(system);
    histories = new WordHistories(system::nowNs);
    sync = new SyncCheck(scenario, violations());
    rights = new RightsCheck(scenario.arrays(), hosts, violations(), scenario.settings().placement() == HomePlacement.DYNAMIC);
    mayBeSlow = options.faults().contains(FaultClass.SLOW_SERVER);
    ambush = new Ambush(ofAmbush, system, threads, scenario, hosts,
        (host, step) -> start(host, host.name + "-ambush", List.of(step), false));
    release = new ReleaseCheck(scenario, hosts, violations(), () -> anyCrash);
    build();
    follow(plan, scenario.nodes());
  }

  /**
   * The node that leaves before the others are done; -1 for none. None leaves if threads meet at a barrier, because all must come, or with release
   * consistency, because copies stay.
   */
  private int drawLeaver(Draw draw) {
    boolean isLate = Arrays.stream(scenario.lateNs()).anyMatch(late -> late > 0);
    int node = draw.between(isLate ? 1 : 0, scenario.nodes() - 1);
    boolean mayLeave = scenario.rounds() == 0 && !scenario.isReleased();
    return draw.chance(0.5) && mayLeave ? node : -1;
  }

  private void build() {
    for (int i = 0; i < scenario.nodes(); i++) {
      DsmHost host = new DsmHost(i);
      hosts.add(host);
      host.node = addNode(host.name);
      host.mustLeave = i == leaver;
      fabric.link(host.name).setMulticastLoss(scenario.multicastLoss());
    }
    for (DsmHost host : hosts) {
      if (scenario.lateNs()[host.index] == 0) {
        join(host);
      }
    }
    for (DsmHost host : hosts) {
      threads.start(host.name + "-main", me -> open(host, me));
    }
  }

  /** Waiting threads are checked after each message; the rights are checked at the same moment. */
  private final class LookingWaits implements WaitStrategy {
    private final WaitStrategy waits = new VirtualWaitStrategy(fabric);

    @Override
    public boolean await(BooleanSupplier until, long maxNs) {
      return waits.await(until, maxNs);
    }

    @Override
    public void requireRoom() {
      waits.requireRoom();
    }

    @Override
    public void changed() {
      if (!isClosed()) {
        rights.look();
      }
      waits.changed();
    }
  }

  private void join(DsmHost host) {
    host.space = DsmNode.join(host.node, SPACE, hosts.getFirst().name, scenario.settings(), new LookingWaits(), true);
    watch(host.space.actor(), () -> host.isDead || host.isLeaving);
    note(host.name + " has joined as node " + host.space.node());
  }

  /** The first thread of a node finds the objects, and starts the others. */
  private void open(DsmHost host, AppThread me) {
    try {
      if (host.space == null) {
        me.compute(scenario.lateNs()[host.index]);
        join(host);
      }
      host.open(scenario, release);
      for (List<Step> steps : scenario.programs().get(host.index)) {
        List<Step> some = host.mustLeave ? steps.subList(0, steps.size() / LEAVES_AFTER) : steps;
        start(host, host.name + "-" + host.threads.size(), some, false);
      }
    } catch (NodeLostException | IllegalStateException refused) {
      note(host.name + " finds nothing: " + refused.getMessage());
      if (!anyCrash) {
        violations().add("node " + host.name + " was refused though every node lives: " + refused);
      }
    }
    host.isSettled = true;
    if (host.mustLeave) {
      leave(host, me);
    }
  }

  private void leave(DsmHost host, AppThread me) {
    while (!host.areThreadsDone() && !host.isDead && !isDecided()) {
      me.compute(LOOK_NS);
    }
    if (!host.isDead && !isDecided() && host.space != null) {
      note(host.name + " begins to leave");
      host.isLeaving = true;
      leaves++;
      rights.onLeave();
      try {
        host.space.leave();
        note(host.name + " has left");
      } catch (SharedMemoryException | IllegalStateException refused) {
        note(host.name + ": " + refused.getMessage());
        if (!host.isDead && !anyCrash) {
          violations().add("node " + host.name + " could not leave though every node lives: " + refused);
        }
        rights.onAllMayBeLost();
        sync.onCrash();
      }
    }
    host.hasLeft = true;
  }

  private void start(DsmHost host, String name, List<Step> steps, boolean isLast) {
    DsmThread thread = new DsmThread(this, host, nextThread++, name, steps, isLast);
    host.threads.add(thread);
    threads.start(name, thread::run);
  }

  // The course of a run.

  @Override
  protected void live() {
    if (scenario.rounds() > 0 && plan.faults().stream().anyMatch(fault -> fault.kind().isCrash())) {
      // A barrier that is made after the loss of a node does not know of the loss, and waits for its threads.
      system.runUntil(() -> hosts.stream().allMatch(host -> host.isSettled), LIVENESS_NS);
    }
    runFaults();
    note("all faults are over");
    awaitThreads("the programs");
    startOnEach("all", everything(), false);
    awaitThreads("looking at what is left");
    startOnEach("last", counters(), true);
    awaitThreads("reading counters");
    if (!isDecided()) {
      system.runFor(SETTLE_NS);
      checkSnapshots();
    }
    undecided = histories.check(violations());
  }

  private void awaitThreads(String what) {
    boolean done = system.runUntil(() -> isDecided() || areHostsDone(), LIVENESS_NS);
    if (!done) {
      violations().add(what + " are not done " + LIVENESS_NS / 1_000_000_000L + " s after the faults: "
          + living().stream().flatMap(host -> host.threads.stream()).filter(thread -> !thread.isDone()).map(DsmThread::state).toList());
    }
  }

  /** Called after each event, so it makes no stream. */
  private boolean areHostsDone() {
    for (DsmHost host : hosts) {
      if (!host.isDone()) {
        return false;
      }
    }
    return true;
  }

  private List<DsmHost> living() {
    return hosts.stream().filter(host -> !host.isDead && !host.hasLeft).toList();
  }

  private void startOnEach(String name, List<Step> steps, boolean isLast) {
    for (DsmHost host : living()) {
      if (host.barrier != null && !isDecided()) {
        start(host, host.name + "-" + name, steps, isLast);
      }
    }
  }

  /** Each remaining node changes every word and takes every lock, so that forgotten state shows. */
  private List<Step> everything() {
    List<Step> steps = new ArrayList<>();
    for (int lock = 0; lock < scenario.locks(); lock++) {
      steps.add(new Step(OpKind.LOCK, lock, 0, 1, 0, false, 100));
    }
    for (int array = 0; array < scenario.countersAt(); array++) {
      for (int index : scenario.arrays().get(array).hot()) {
        boolean isBlock = array == scenario.blocksAt();
        steps.add(new Step(isBlock ? OpKind.BLOCK_READ : OpKind.READ, array, index, 1, 0, false, 100));
        steps.add(new Step(isBlock ? OpKind.BLOCK_WRITE : OpKind.GET_AND_ADD, array, index, 1, 0, false, 100));
      }
    }
    return steps;
  }

  private List<Step> counters() {
    List<Step> steps = new ArrayList<>();
    for (int lock = 0; lock < scenario.locks(); lock++) {
      steps.add(new Step(OpKind.READ, scenario.countersAt(), lock, 1, 0, false, 100));
    }
    return steps;
  }

  private void checkSnapshots() {
    for (DsmHost host : living()) {
      if (host.space != null) {
        DsmSnapshot snapshot = ask(replyTo -> host.space.actor().tell(new NodeCommand.Inspect(replyTo)));
        if (snapshot == null || snapshot.faultsWaiting() != 0) {
          violations().add("threads of " + host.name + " have ended, but it says that " + snapshot + " is left");
          return;
        }
        counts.add(snapshot);
      }
    }
  }

  @Override
  protected Result result() {
    counts.onLeaves(leaves);
    RecoveryMarks marks = counts.marks();
    for (DsmHost host : hosts) {
      collectLink(host.name);
      marks = marks.plus(traced(host.node));
    }
    return result(Names.of(operations), marks, undecided, scenario + (leaver < 0 ? "" : ", n" + leaver + " leaves") + "; faults: " + plan);
  }

  // Called by the faults.

  @Override
  public String nodeName(int node) {
    return hosts.get(node).name;
  }

  @Override
  public int incarnation(int node) {
    return hosts.get(node).incarnation;
  }

  @Override
  public boolean mayBegin(Fault fault) {
    DsmHost host = hosts.get(fault.node());
    return !host.isDead && !host.hasLeft && host.space != null && (!fault.kind().isCrash() || !jvmOf(host).containsAll(living()));
  }

  /** The live nodes in the JVM of a node. */
  private List<DsmHost> jvmOf(DsmHost host) {
    return living().stream().filter(other -> other.index / perJvm == host.index / perJvm).toList();
  }

  @Override
  public void begin(Fault fault, long endNs) {
    super.begin(fault, endNs);
    DsmHost host = hosts.get(fault.node());
    host.begin(fault, system);
    if (fault.kind().isCrash()) {
      if (fault.amount() <= DsmFaults.TOLD_SOON_NS && mayBeSlow) {
        ambush.lay(host, fault.amount());
      }
      List<DsmHost> dying = jvmOf(host);
      crashes.put(fault, dying);
      dying.forEach(this::crash);
    }
  }

  @Override
  public void tell(Fault fault) {
    List<DsmHost> dead = new ArrayList<>(crashes.get(fault));
    if ((fault.amount() & 1) != 0) {
      Collections.reverse(dead);
    }
    long gapNs = (fault.amount() >> 1 & 3) * GAP_NS;
    for (int i = 0; i < dead.size(); i++) {
      String name = dead.get(i).name;
      if (i * gapNs == 0) {
        lose(name);
      } else {
        long delayNs = i * gapNs;
        threads.start("loss of " + name, me -> {
          me.compute(delayNs);
          lose(name);
        });
      }
    }
  }

  @Override
  public void end(Fault fault) {
    super.end(fault);
    hosts.get(fault.node()).end(fault, system);
  }

  private void crash(DsmHost host) {
    rights.onCrash(host);
    sync.onCrash();
    anyCrash = true;
    driver().unplug(host.index);
    host.isDead = true;
    host.incarnation++;
    system.resume(host.path());
    system.resume(host.rolePath());
    fabric.crashNode(host.name);
  }

  // Called by threads.

  void onBegin(DsmThread thread, Step step) {
    operations.merge(step.kind(), 1, Integer::sum);
    if (isCharted()) {
      note(thread + " begins " + step);
    }
  }

  void onEnd(DsmThread thread, Step step, String end) {
    system.traceNote(end.hashCode() * 31L + step.kind().ordinal());
    if (isCharted()) {
      note(thread + " ends " + step.kind() + " of " + step.object() + ", " + step.index() + ": " + end);
    }
  }

  /** A thread learned that a node is lost; {@code step} names the elements, if any. */
  void onLost(DsmThread thread, Step step, NodeLostException lost) {
    if (!anyCrash) {
      violations().add(thread + " was told that a node is lost, but all live: " + lost.getMessage());
    } else if (step != null) {
      rights.onLost(thread, step, lost.getMessage());
    }
  }

  DsmScenario scenario() {
    return scenario;
  }

  WordHistories histories() {
    return histories;
  }

  ReleaseCheck release() {
    return release;
  }

  SyncCheck sync() {
    return sync;
  }

  @Override
  protected void endThreads() {
    threads.close();
  }
}
