package dev.weft.lab.sim.pvfs;

import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.node.RoleContext;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run: draws everything from the seed, executes it, and checks the final state. */
final class PvfsRun extends FabricRun {
  /** More than a manager or a daemon needs to stop. */
  private static final long STOP_NS = 10_000;
  private static final long LIVENESS_NS = 300_000_000_000L;
  private static final long MEMORY_BYTES = (long) StepPlanner.CHUNK_BYTES + StepPlanner.BYTES_MAX;

  private final PvfsScenario scenario;
  private final FaultPlan plan;
  private final Draw crashes;
  private final Draw powerFailures;
  /** Null if there is none. */
  private Forger forger;
  private final PvfsSite site;
  private final List<PvfsHost> hosts = new ArrayList<>();
  private final PvfsFiles files;
  private final long[] directories = new long[2];
  private final NameHistory names;
  private final LockHistory locks;
  private final Map<OpKind, Integer> operations = new EnumMap<>(OpKind.class);
  private final PvfsMarks marks = new PvfsMarks();
  private final PvfsErrors errors;
  private long ticks;
  private int undecided;

  PvfsRun(long seed, PvfsOptions options, boolean charted) {
    Draw draw = new Draw(seed);
    PvfsScenario scenario = PvfsScenario.draw(draw.split(), options);
    super(seed, scenario.profile(), scenario.settings(), charted);
    startWatchDog();
    this.scenario = scenario;
    plan = PvfsFaults.draw(draw.split(), options.faults(), scenario);
    crashes = draw.split();
    powerFailures = draw.split();
    Draw ofForger = draw.split();
    site = new PvfsSite(fabric, seed, scenario.daemons());
    files = new PvfsFiles(this::tick, violations());
    errors = new PvfsErrors(scenario, plan, marks, violations());
    long graceNs = fabric.config().getDuration("weft.pvfs.manager.grace").toNanos();
    names = new NameHistory(system::nowNs, graceNs);
    locks = new LockHistory(system::nowNs, violations(), graceNs);
    build();
    if (scenario.hasForger()) {
      forger = new Forger(this, fabric, fabric.addNode("x"), site, ofForger);
    }
    follow(plan, scenario.nodes());
  }

  private void build() {
    for (int i = 0; i < scenario.nodes(); i++) {
      PvfsHost host = new PvfsHost(i, nodeName(i));
      hosts.add(host);
      host.node = addNode(host.name);
      if (site.isDaemon(host) && scenario.hasDisks()) {
        host.disk = new DaemonDisk(system::nowNs, scenario.disk().times(), scenario.daemonBytes());
      }
    }
    hosts.stream().filter(site::isServer).forEach(this::startServer);
    makeFiles();
    for (PvfsHost host : hosts) {
      if (!site.isServer(host)) {
        startClient(host, scenario.programs().get(site.clientOf(host.index)));
      }
    }
  }

  @Override
  public String nodeName(int index) {
    return site.nodeName(index);
  }

  private void startServer(PvfsHost host) {
    int incarnation = host.incarnation;
    int start = ++host.starts;
    BooleanSupplier mayStop = () -> host.incarnation != incarnation || host.starts != start;
    if (site.isDaemon(host)) {
      if (host.disk == null) {
        site.startDaemon(host);
      } else {
        site.startDaemon(host, scenario.disk().context());
      }
      watch(host.daemon.actor(), mayStop);
    } else {
      names.onManagerStarted();
      site.startManager(host);
      watch(host.manager.actor(), mayStop);
      locks.managerStarted();
    }
  }

  private void makeFiles() {
    PvfsAuditor maker = auditor("maker");
    directories[0] = maker.asked(MetaRequest.of(MetaOp.MKDIR, Caller.ROOT, 1, 0777).named("0")).attributes().inode();
    directories[1] = maker.asked(MetaRequest.of(MetaOp.MKDIR, Caller.ROOT, 1, 0777).named("1")).attributes().inode();
    for (StripingWish wish : scenario.files()) {
      String name = "file-" + files.shared().size();
      FileAttributes made = maker.asked(MetaRequest.of(MetaOp.CREATE, Caller.ROOT, 1, 0666, 1, wish.base(), wish.count(), wish.stripeBytes(), 0)
          .named(name)).attributes();
      files.share(name, made);
    }
    maker.close();
  }

  PvfsAuditor auditor(String name) {
    return new PvfsAuditor(this, fabric, fabric.addNode(name), site);
  }

  private void startClient(PvfsHost host, List<List<Step>> programs) {
    host.meta = site.metaClient(host.node);
    host.data = site.dataClient(host.node, host.meta);
    host.alarms = host.node.spawnRole(Behaviors.receiveMessage(action -> {
      action.run();
      return Behaviors.same();
    }), "alarms", RoleContext.ISR);
    int incarnation = host.incarnation;
    watch(host.data.actor(), () -> host.incarnation != incarnation || host.isDown);
    host.programs.clear();
    for (List<Step> steps : programs) {
      MemorySegment memory = host.node.hca().allocMemory(Arena.ofAuto(), MEMORY_BYTES);
      host.programs.add(new PvfsProgram(this, host, host.name + "-" + host.programs.size(), steps, memory));
    }
    host.programs.forEach(PvfsProgram::start);
  }

  // The course of a run.

  @Override
  protected void live() {
    runFaults();
    if (!isDecided()) {
      note("all faults are over");
      site.managerDisk().setFull(false);
      site.managerDisk().failAfter(-1);
      site.managerDisk().failUnsure(false);
      hosts.stream().filter(host -> host.disk != null).forEach(host -> host.disk.endAllTrouble());
      hosts.stream().filter(host -> site.isServer(host) && host.isDown).forEach(this::restart);
      boolean done = system.runUntil(() -> isDecided() || hosts.stream().allMatch(PvfsHost::isDone) && isForgerDone(), LIVENESS_NS);
      if (!done) {
        violations().add("programs are not done " + LIVENESS_NS / 1_000_000_000L + " s after the faults: " + (isForgerDone() ? "" : forger + ", ")
            + hosts.stream().filter(host -> !host.isDown).flatMap(host -> host.programs.stream()).filter(one -> !one.isDone()).toList());
      }
    }
    if (!isDecided()) {
      new PvfsAudit(this, fabric).run();
    }
    if (!isDecided()) {
      undecided += names.check(violations()) ? 1 : 0;
    }
  }

  private boolean isForgerDone() {
    return forger == null || forger.isDone();
  }

  @Override
  protected Result result() {
    RecoveryMarks all = marks.marks();
    for (PvfsHost host : hosts) {
      collectLink(host.name);
      all = all.plus(traced(host.node));
    }
    return result(dev.weft.lab.kit.Names.of(operations), all, undecided, scenario + "; faults: " + plan); // This package has other Names.
  }

  /** For a file that may have lost its name: whether a client may have been cut off until the manager stopped waiting for its open files. */
  boolean mayBeForgotten(PvfsHost client, long openedNs) {
    return names.isGraceOver(openedNs) && errors.mayBeCutOff(client.index, names.graceEndNs());
  }

  // Called by the faults.

  @Override
  public int incarnation(int node) {
    return hosts.get(node).incarnation;
  }

  @Override
  public boolean mayBegin(Fault fault) {
    PvfsHost host = hosts.get(fault.node());
    boolean mustRun = fault.kind() == FaultClass.SERVER_RESTART;
    boolean lacksDisk = fault.kind() == FaultClass.DISK && site.isDaemon(host) && host.disk == null;
    return !host.isDown && !(mustRun && host.pauses > 0) && !lacksDisk;
  }

  @Override
  public void begin(Fault fault, long endNs) {
    super.begin(fault, endNs);
    PvfsHost host = hosts.get(fault.node());
    switch (fault.kind()) {
      case SLOW_SERVER -> {
        if (fault.amount() == Fault.FOR_EVER) {
          system.pause(host.rolePath());
        } else {
          system.slow(host.rolePath(), fault.amount());
        }
      }
      case PAUSE -> host.pause(system);
      case SERVER_CRASH, CLIENT_CRASH -> crash(host);
      case SERVER_RESTART -> restartRole(host);
      case CONNECTION_LOSS -> host.drop((int) fault.amount());
      case DISK -> {
        if (host.disk != null) {
          errors.begin(DaemonDisk.Trouble.values()[(int) fault.amount()], host.disk, endNs);
        } else {
          errors.begin(PvfsFaults.DiskTrouble.values()[(int) fault.amount()], site.managerDisk());
        }
      }
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { } // Cables.
    }
  }

  @Override
  public void end(Fault fault) {
    super.end(fault);
    PvfsHost host = hosts.get(fault.node());
    switch (fault.kind()) {
      case SLOW_SERVER -> system.resume(host.rolePath());
      case PAUSE -> host.goOn(system);
      case SERVER_CRASH, CLIENT_CRASH -> {
        restart(host);
        driver().replug(host.index);
      }
      case DISK -> {
        if (host.disk != null) {
          host.disk.end(DaemonDisk.Trouble.values()[(int) fault.amount()]);
        } else {
          endTrouble(host, PvfsFaults.DiskTrouble.values()[(int) fault.amount()]);
        }
      }
      case CONNECTION_LOSS, SERVER_RESTART -> { } // They have no duration.
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { } // Cables.
    }
  }

  private void endTrouble(PvfsHost host, PvfsFaults.DiskTrouble trouble) {
    switch (trouble) {
      case FULL -> site.managerDisk().setFull(false);
      case FAILS -> site.managerDisk().failAfter(-1);
      case UNSURE -> {
        site.managerDisk().failUnsure(false);
        if (host.pauses == 0 && crashes.chance(0.5)) {
          crash(host); // Now it is decided whether that write is there.
          fabric.loseNode(host.name);
          restart(host);
          driver().replug(host.index);
        }
      }
    }
  }

  private void crash(PvfsHost host) {
    driver().unplug(host.index);
    lost(host);
    host.isDown = true;
    host.incarnation++;
    host.pauses = 0;
    system.resume(host.path());
    if (site.isServer(host)) {
      system.resume(host.rolePath());
    }
    collectLink(host.name);
    if (host.disk != null) {
      fail(host);
    }
    fabric.crashNode(host.name);
    if (host.index == 0) {
      site.managerDisk().crash(crashes.between(0, site.managerDisk().unsynced()));
    }
  }

  /** The daemon's process is killed, or its machine loses power. */
  private void fail(PvfsHost host) {
    if (powerFailures.chance(0.7)) {
      note("the machine of " + host.name + " loses power");
      host.disk.losePower(powerFailures);
      files.losePower(host.index - 1);
      marks.add(PvfsMarks.POWER_FAILED);
    } else {
      host.disk.kill();
    }
  }

  /** The knowledge of a manager or a daemon is lost. */
  private void lost(PvfsHost host) {
    if (host.disk != null) {
      files.replaced();
    } else if (site.isDaemon(host)) {
      files.lost(host.index - 1);
    } else if (host.index == 0) {
      marks.add(PvfsMarks.INTERRUPTED, names.onManagerLost());
    } else {
      locks.gone(host.name);
    }
  }

  private void found(PvfsHost host) {
    if (host.disk != null) {
      files.synced(host.index - 1);
    } else if (site.isDaemon(host)) {
      files.found(host.index - 1);
    }
  }

  /** A manager or daemon ends in order, and another one takes its place. */
  private void restartRole(PvfsHost host) {
    lost(host);
    system.resume(host.rolePath());
    host.starts++;
    if (host.daemon != null) {
      host.daemon.stop();
    } else {
      host.manager.stop();
    }
    system.runFor(STOP_NS);
    if (host.daemon != null && !host.daemon.closed().toCompletableFuture().isDone()) {
      violations().add(host.name + " has not given back its disk");
    }
    startServer(host);
    found(host);
  }

  private void restart(PvfsHost host) {
    note(host.name + " is started again");
    host.isDown = false;
    host.node = addNode(host.name);
    if (site.isServer(host)) {
      startServer(host);
      found(host);
    } else {
      startClient(host, host.programs.stream().map(PvfsProgram::left).toList());
    }
  }

  // Called by programs and auditors.

  long tick() {
    return ticks++;
  }

  PvfsFiles files() {
    return files;
  }

  long directory(int index) {
    return directories[index];
  }

  LockHistory locks() {
    return locks;
  }

  /** Runs an action later for a client, which may be gone by then. */
  void after(PvfsHost host, long ns, Runnable action) {
    host.node.context().timers().at(system.nowNs() + ns, host.alarms, action);
  }

  NameHistory names() {
    return names;
  }

  PvfsErrors errors() {
    return errors;
  }

  PvfsMarks marks() {
    return marks;
  }

  List<PvfsHost> hosts() {
    return hosts;
  }

  /** Null if there is none. */
  Forger forger() {
    return forger;
  }

  void onBegin(String program, Step step) {
    operations.merge(step.kind(), 1, Integer::sum);
    note(program + " begins " + step);
  }

  void onEnd(String program, String what) {
    system.traceNote(what.hashCode());
    note(program + " " + what);
  }

  @Override
  protected void endThreads() {
    hosts.forEach(host -> host.isDown = true);
  }
}
