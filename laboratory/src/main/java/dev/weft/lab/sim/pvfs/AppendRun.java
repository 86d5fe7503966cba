package dev.weft.lab.sim.pvfs;

import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.Node;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FabricRun;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.Names;
import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.lab.kit.Result;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.files.Appends;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One run of clients that append: draws everything from the seed, executes it, and checks the files when all have ended. */
final class AppendRun extends FabricRun {
  /** Result of an append. */
  enum Outcome {
    APPENDED,
    FAILED
  }

  /** More than a manager needs to stop. */
  private static final long STOP_NS = 10_000;
  /** An append waits two minutes for its lock, and another one until it learns that it no longer waits. */
  private static final long LIVENESS_NS = 900_000_000_000L;
  /** Longer than the time in which a node notices that another one is gone, 17.2 s, and reaches it again. */
  private static final long SETTLE_NS = 25_000_000_000L;

  private final AppendScenario scenario;
  private final AppThreads threads;
  private final PvfsSite site;
  private final List<PvfsHost> hosts = new ArrayList<>();
  private final List<FileAttributes> files = new ArrayList<>();
  private final List<AppendHistory> histories = new ArrayList<>();
  private final Map<PvfsHost, AppendProgram> programs = new LinkedHashMap<>();
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private long startNs;
  private int ids;

  AppendRun(long seed, AppendOptions options, boolean charted) {
    AppendScenario scenario = AppendScenario.draw(new Draw(seed), options);
    super(seed, scenario.profile(), scenario.settings(), charted);
    startWatchDog();
    this.scenario = scenario;
    threads = new AppThreads(system);
    site = new PvfsSite(fabric, seed, scenario.daemons());
    build();
    follow(scenario.plan(), scenario.nodes());
  }

  private void build() {
    for (int i = 0; i < scenario.nodes(); i++) {
      PvfsHost host = new PvfsHost(i, nodeName(i));
      hosts.add(host);
      host.node = addNode(host.name);
      if (site.isDaemon(host)) {
        site.startDaemon(host);
        watch(host.daemon.actor(), () -> false);
      }
    }
    startManager(hosts.getFirst());
    makeFiles();
    hosts.stream().filter(this::isClient).forEach(this::addClient);
  }

  @Override
  public String nodeName(int index) {
    return site.nodeName(index);
  }

  private boolean isClient(PvfsHost host) {
    return !site.isServer(host);
  }

  private void startManager(PvfsHost host) {
    int start = ++host.starts;
    BooleanSupplier mayStop = () -> host.starts != start;
    site.startManager(host);
    watch(host.manager.actor(), mayStop);
  }

  private void makeFiles() {
    try (MetaClient maker = site.metaClient(fabric.addNode("maker"))) {
      for (StripingWish wish : scenario.files()) {
        String name = "file-" + files.size();
        MetaReply made = maker.ask(MetaRequest.of(MetaOp.CREATE, Caller.ROOT, 1, 0666, 0, wish.base(), wish.count(), wish.stripeBytes(), 0).named(name));
        if (made.errno() != Errno.OK) {
          throw new IllegalStateException("file " + name + " was not made: " + Errno.name(made.errno()));
        }
        files.add(made.attributes());
        histories.add(new AppendHistory(name, violations()));
      }
    }
    fabric.closeNode("maker");
  }

  private void addClient(PvfsHost host) {
    host.meta = site.metaClient(host.node);
    host.data = site.dataClient(host.node, host.meta);
    watch(host.data.actor(), () -> host.isDown);
    programs.put(host, new AppendProgram(this, host, scenario.programs().get(site.clientOf(host.index))));
  }

  // The course of a run.

  @Override
  protected Result result() {
    RecoveryMarks marks = RecoveryMarks.none();
    for (PvfsHost host : hosts) {
      collectLink(host.name);
      marks = marks.plus(RecoveryMarks.of(host.node.hca().inspect().counters()));
    }
    return result(Names.of(outcomes), marks, 0, scenario + "; faults: " + scenario.plan());
  }

  @Override
  protected void live() {
    startNs = system.nowNs();
    programs.values().forEach(program -> program.start(system, scenario.stopsAnyTime()));
    runFaults();
    if (isDecided()) {
      return;
    }
    note("all faults are over");
    if (!system.runUntil(() -> isDecided() || threads.isDone(), LIVENESS_NS)) {
      violations().add("programs are not done " + LIVENESS_NS / 1_000_000_000L + " s after the faults: "
          + programs.values().stream().filter(one -> !one.isDone()).toList());
    }
    if (!isDecided()) {
      system.runFor(SETTLE_NS);
      checkLocks();
      lookAtFiles();
    }
  }

  private void lookAtFiles() {
    Node node = fabric.addNode("auditor");
    try (MetaClient meta = site.metaClient(node);
        DataClient data = site.auditor(node)) {
      Appends appends = new Appends(meta, data);
      for (int i = 0; i < files.size(); i++) {
        MemorySegment content = content(data, node, files.get(i));
        histories.get(i).check(content);
        long at = appends.append(files.get(i).inode(), files.get(i).striping(), node.hca().allocMemory(Arena.ofAuto(), 1));
        if (at != content.byteSize()) {
          violations().add("all clients have closed file-" + i + " of " + content.byteSize() + " bytes, and another one appends "
              + (at < 0 ? "in vain: " + Errno.name((int) -at) : "at " + at));
        }
      }
    }
  }

  private static MemorySegment content(DataClient data, Node node, FileAttributes file) {
    long bytes = done(data.stat(file.inode(), file.striping())).fileBytes();
    MemorySegment memory = node.hca().allocMemory(Arena.ofAuto(), Math.max(1, bytes));
    if (bytes > 0) {
      done(data.read(file.inode(), file.striping(), 0, memory));
    }
    return memory.asSlice(0, bytes);
  }

  private static IoTask done(IoTask task) {
    if (task.errno() != Errno.OK) {
      throw new IllegalStateException("the auditor could not look at a file: " + Errno.name(task.errno()));
    }
    return task;
  }

  private void checkLocks() {
    programs.forEach((host, program) -> {
      if (program.heldCount() != 0) {
        violations().add(host.name + " has closed all files, and believes to hold " + program.heldCount() + " append locks");
      }
    });
    ManagerSnapshot manager = ask(hosts.getFirst().manager::inspect);
    boolean mayHave = outcomes.containsKey(Outcome.FAILED); // A client whose request was not answered may have the lock unknowingly.
    if (manager == null || manager.lockWaiters() != 0 || manager.locks() != 0 && !mayHave) {
      violations().add("all clients have closed all files, and locks are held, or waited for: " + manager);
    }
  }

  // Called by the faults.

  @Override
  public boolean mayBegin(Fault fault) {
    return fault.kind() != FaultClass.SERVER_RESTART || hosts.get(fault.node()).pauses == 0;
  }

  @Override
  public void begin(Fault fault, long endNs) {
    super.begin(fault, endNs);
    PvfsHost host = hosts.get(fault.node());
    switch (fault.kind()) {
      case PAUSE -> {
        if (isClient(host)) {
          programs.get(host).suspension().begin();
        } else {
          host.pause(system);
        }
      }
      case SERVER_RESTART -> {
        host.starts++;
        host.manager.stop();
        system.runFor(STOP_NS);
        startManager(host);
      }
      case CONNECTION_LOSS -> host.drop((int) fault.amount());
      case LATENCY, PARTITION, LOSS, DUPLICATION, REORDERING, CORRUPTION -> { } // Cables.
      case SERVER_CRASH, CLIENT_CRASH, SLOW_SERVER, DISK -> throw new IllegalStateException(fault + " is not known here");
    }
  }

  @Override
  public void end(Fault fault) {
    super.end(fault);
    PvfsHost host = hosts.get(fault.node());
    if (fault.kind() == FaultClass.PAUSE) {
      if (isClient(host)) {
        programs.get(host).suspension().end();
      } else {
        host.goOn(system);
      }
    }
  }

  // Called by programs.

  AppThreads threads() {
    return threads;
  }

  int files() {
    return files.size();
  }

  long inode(int file) {
    return files.get(file).inode();
  }

  long startNs() {
    return startNs;
  }

  AppendHistory.Entry begin(String client, AppendStep step) {
    return histories.get(step.file()).begin(++ids, client, step.bytes());
  }

  /** An append is answered: its offset, or a negative errno. */
  void ended(long answer) {
    outcomes.merge(answer < 0 ? Outcome.FAILED : Outcome.APPENDED, 1, Integer::sum);
    system.traceNote(answer);
    if (answer < 0 && !scenario.plan().hurtsNodes()) {
      violations().add("an append fails with " + Errno.name((int) -answer) + ", and nothing explains it");
    }
  }

  @Override
  protected void endThreads() {
    hosts.forEach(host -> host.isDown = true);
    threads.close();
  }
}
