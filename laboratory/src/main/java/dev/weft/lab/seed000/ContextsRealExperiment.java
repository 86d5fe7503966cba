package dev.weft.lab.seed000;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.RealTimeExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed000.Contexts.Group;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import java.util.List;

/** Table 1 of seed 000 on this machine: the same code in real time, idle and with a hog per processor, in turns. */
public final class ContextsRealExperiment implements RealTimeExperiment {
  /** What ISR may take of the time of a process at p50. */
  private static final double IDLE_RATIO_MAX = 0.75;
  private static final double LOADED_RATIO_MAX = 0.6;

  private final int turns;
  private final int rounds;

  public ContextsRealExperiment() {
    this(4, 5_000);
  }

  /**
   * A shorter or longer one.
   *
   * @param turns how often each context has its turn, 1 to 1000
   * @param rounds round trips in a turn, 1 or more
   */
  ContextsRealExperiment(int turns, int rounds) {
    this.turns = turns;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "contexts-real";
  }

  @Override
  public String title() {
    return "seed 000 Table 1 on this machine: round trip by receive context, idle and with a hog per processor";
  }

  @Override
  public Findings run(Setting setting) {
    int processors = Runtime.getRuntime().availableProcessors();
    List<Result> results = results(Contexts.idleAndLoaded(rounds, processors));
    int contexts = ReceiveContext.values().length;
    Group idle = new Group("idle", results.subList(0, contexts));
    Group loaded = new Group("a hog per processor", results.subList(contexts, results.size()));
    Findings findings = new Findings().table(Contexts.table(List.of(idle, loaded)));
    check(findings, idle, IDLE_RATIO_MAX);
    check(findings, loaded, LOADED_RATIO_MAX);
    return findings
        .chart(Chart.bars("dsm-t1-real-contexts", "Median round trip by receive context, this machine", "us", Contexts.labels(),
            List.of(Series.bars("idle", false, Contexts.medians(idle)), Series.bars("loaded", false, Contexts.medians(loaded)))))
        .chart(Contexts.distributions("dsm-t1-real-distribution-idle", "Distribution of round trips, this machine: idle", idle))
        .chart(Contexts.distributions("dsm-t1-real-distribution-loaded", "Distribution of round trips, this machine: loaded", loaded))
        .note(processors + " processors, " + turns + " turns of " + rounds + " round trips for each context after one that does not"
            + " count; both nodes are in this JVM, the client runs in ISR context; 'idle' means no load of ours")
        .note("polling and ISR share one hardware thread, which does the work of both hosts, so the poller has no processor of its own"
            + " and polling need not win: " + Contexts.pollingAgainstIsr(idle) + "; " + Contexts.pollingAgainstIsr(loaded)
            + ". Not judged; contexts-jvms-real has a processor for it");
  }

  private List<Result> results(List<Setup> setups) {
    try {
      return ReceiveContextExperiment.inTurns(setups, turns, ConfigFactory.empty());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  private static void check(Findings findings, Group group, double ratioMax) {
    findings.check(group.name() + ": ISR < task queue < process at p50", group.isInOrder(), group.medians());
    double ratio = group.p50(ReceiveContext.ISR) / group.p50(ReceiveContext.PROCESS);
    findings.check(group.name() + ": ISR takes at most " + ratioMax + " of process at p50", ratio <= ratioMax,
        "ratio " + Comparison.number(ratio));
  }
}
