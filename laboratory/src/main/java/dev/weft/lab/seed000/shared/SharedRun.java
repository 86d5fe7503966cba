package dev.weft.lab.seed000.shared;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.AppThread;
import dev.weft.fabric.time.AppThreads;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.lab.trials.dsm.apps.Application;
import dev.weft.lab.trials.dsm.apps.Applications;
import dev.weft.lab.trials.dsm.apps.Check;
import dev.weft.lab.trials.dsm.apps.Operation;
import dev.weft.lab.trials.dsm.apps.Outcome;
import dev.weft.lab.trials.dsm.apps.Work;
import dev.weft.lab.trials.dsm.apps.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One run of an application on simulated hosts. The thread that makes it runs it. */
public final class SharedRun implements AutoCloseable {
  /**
   * What came out.
   *
   * @param elapsedNs of what is measured, from the first thread that begins it to the last that ends it
   * @param speedup of the sequential run
   * @param faults how long faults took, of what is measured
   * @param breakdown where that time went
   * @param messages that nodes sent each other, in all of the run
   * @param traceHash of the run
   */
  public record Result(Setup setup, long elapsedNs, double speedup, FaultTimes faults, Breakdown breakdown, long messages, long events,
      long traceHash) {
    /** How much less time than {@code other} it took, in percent of that. */
    public double savingPercent(Result other) {
      return 100.0 * (other.elapsedNs - elapsedNs) / other.elapsedNs;
    }
  }

  private record ChargedWorker(int index, int count, SharedSpace space, String run) implements Worker {
    /** Of the programs of OSDI 1999 only LU has calls to prefetch. */
    @Override
    public boolean asksAhead() {
      return false;
    }

    @Override
    public void compute(Operation operation, long operations) {
      ChargedThread.current().compute(operation, operations);
    }
  }

  private static final String SPACE = "shared";
  private static final long LONGEST_NS = 3_600_000_000_000L;
  private final Setup setup;
  private final ProgramCosts costs;
  private final Application application;
  private final VirtualFabric fabric;
  private final AppThreads threads;
  private final FaultTimes times = new FaultTimes();
  private final List<DsmNode> nodes = new ArrayList<>();
  private final List<Spending> spendings = new ArrayList<>();
  private long beginNs = Long.MAX_VALUE;
  private long endNs;
  private Outcome outcome;

  private SharedRun(Setup setup, HardwareProfile profile, ProgramCosts costs, long seed) {
    this.setup = setup;
    this.costs = costs.computing(setup.computing());
    this.application = Applications.byName(setup.application());
    Config settings = ConfigFactory.parseMap(Map.of("weft.dsm.memory", Program.memoryMiB(setup.application(), setup.size()) + " MiB",
        "weft.dsm.context", setup.system().context().configName(), "weft.dsm.read-by-rdma", setup.system().readsByRdma(),
        "weft.dsm.home", setup.system().isCentralized() ? "centralized" : "fixed"));
    this.fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, settings);
    this.threads = new AppThreads(fabric.system());
  }

  /**
   * Runs it, and verifies what comes out.
   *
   * @throws IllegalStateException if the result is not that of the sequential run
   */
  public static Result of(Setup setup, HardwareProfile profile, ProgramCosts costs, long seed, Sequential sequential) {
    try (SharedRun run = new SharedRun(setup, profile, costs, seed)) {
      run.join();
      run.threads.runToEnd(LONGEST_NS);
      run.verify(sequential);
      return run.result(sequential);
    }
  }

  private void join() {
    List<Node> members = new ArrayList<>();
    for (int i = 0; i < setup.hosts(); i++) {
      members.add(fabric.addNode(name(i)));
    }
    DsmSettings settings = DsmSettings.from(fabric.config());
    for (int i = 0; i < setup.hosts(); i++) {
      ChargedHost host = new ChargedHost(fabric, VirtualHost.of(fabric, name(i)), costs, setup.system());
      nodes.add(DsmNode.join(members.get(i), SPACE, name(0), settings, host, true, host));
    }
    for (int i = 0; i < setup.hosts(); i++) {
      VirtualHost.of(fabric, name(i)).load(setup.hogs());
      for (int k = 0; k < setup.threads(); k++) {
        start(i, k);
      }
    }
  }

  private static String name(int host) {
    return "host-" + host;
  }

  private void start(int host, int number) {
    int index = host * setup.threads() + number;
    threads.start(name(host) + "-" + number, me -> perform(me, host, number, index));
  }

  private void perform(AppThread me, int host, int number, int index) {
    ChargedThread charged = new ChargedThread(me, VirtualHost.of(fabric, name(host)), costs, times);
    if (number == 0) {
      VirtualHost.of(fabric, name(host)).signals(charged.process());
    }
    spendings.add(charged.spending());
    charged.begin();
    Work work = application.work(new ChargedWorker(index, setup.hosts() * setup.threads(), new MeasuredSpace(nodes.get(host)), application.name()),
        setup.size());
    work.prepare();
    charged.pay();
    beginNs = Math.min(beginNs, me.nowNs());
    times.begin();
    charged.spending().begin(me.nowNs());
    work.run();
    charged.spending().end(me.nowNs());
    times.end();
    endNs = Math.max(endNs, me.nowNs());
    work.gather();
    if (index == 0) {
      outcome = work.outcome();
    }
    charged.end();
  }

  private void verify(Sequential sequential) {
    Check same = outcome.against(sequential.outcome());
    if (!outcome.passed() || !same.passed()) {
      throw new IllegalStateException(setup + " came to a wrong result: " + outcome.checks() + ", " + same);
    }
  }

  private Result result(Sequential sequential) {
    long messages = 0;
    for (DsmNode node : nodes) {
      messages += node.inspect().messagesSent();
    }
    long elapsedNs = endNs - beginNs;
    return new Result(setup, elapsedNs, sequential.ns(costs) / elapsedNs, times, Spending.mean(spendings), messages, fabric.system().eventsRun(),
        fabric.system().traceHash());
  }

  @Override
  public void close() {
    threads.close();
    fabric.close();
  }
}
