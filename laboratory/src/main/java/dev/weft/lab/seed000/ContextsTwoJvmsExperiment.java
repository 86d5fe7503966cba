package dev.weft.lab.seed000;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.measure.LabJvms;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.RealTimeExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed000.Contexts.Group;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import dev.weft.service.process.TwoJvms;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;

/**
 * Table 1 of seed 000 on this machine between two JVMs, each with a hardware thread of its own: the client polls in this one, the server
 * answers in the other. With two processors and nothing else to do a poller has one of its own, which within one JVM it has not.
 */
public final class ContextsTwoJvmsExperiment implements RealTimeExperiment {
  private static final int POLLERS = 2;

  private final int turns;
  private final int rounds;

  public ContextsTwoJvmsExperiment() {
    this(4, 2_000);
  }

  /**
   * A shorter or longer one.
   *
   * @param turns how often each context has its turn, 1 to 1000
   * @param rounds round trips in a turn, 1 or more
   */
  ContextsTwoJvmsExperiment(int turns, int rounds) {
    this.turns = turns;
    this.rounds = rounds;
  }

  @Override
  public String name() {
    return "contexts-jvms-real";
  }

  @Override
  public String title() {
    return "seed 000 Table 1 on this machine, between two JVMs: round trip by receive context, idle and with a hog per processor";
  }

  @Override
  public Findings run(Setting setting) {
    int processors = Runtime.getRuntime().availableProcessors();
    double loadAverage = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    List<Result> results = results(Contexts.idleAndLoaded(rounds, processors));
    int contexts = ReceiveContext.values().length;
    Group idle = new Group("idle", results.subList(0, contexts));
    Group loaded = new Group("a hog per processor", results.subList(contexts, results.size()));
    Findings findings = new Findings().table(Contexts.table(List.of(idle, loaded)));
    findings.check("idle: ISR < task queue < process at p50", idle.isInOrder(), idle.medians());
    if (processors >= POLLERS) {
      findings.check("idle, where the poller has a processor of its own: polling < ISR at p50",
          idle.p50(ReceiveContext.POLLING) < idle.p50(ReceiveContext.ISR), Contexts.pollingAgainstIsr(idle));
    } else {
      findings.note("with one processor the poller has none of its own, so polling need not win: " + Contexts.pollingAgainstIsr(idle)
          + ". Not judged");
    }
    return findings
        .chart(Chart.bars("dsm-t1-real-jvms-contexts", "Median round trip by receive context, two JVMs on this machine", "us",
            Contexts.labels(),
            List.of(Series.bars("idle", false, Contexts.medians(idle)), Series.bars("loaded", false, Contexts.medians(loaded)))))
        .chart(Contexts.distributions("dsm-t1-real-jvms-distribution-idle", "Distribution of round trips, two JVMs: idle", idle))
        .chart(Contexts.distributions("dsm-t1-real-jvms-distribution-loaded", "Distribution of round trips, two JVMs: loaded", loaded))
        .note("with a hog per processor the poller has no processor of its own, and a hog may keep it from its processor for whole time"
            + " slices: " + Contexts.pollingAgainstIsr(loaded) + ". Not judged")
        .note(processors + " processors, " + turns + " turns of " + rounds + " round trips for each context after one that does not"
            + " count; the client polls in every row, so with hogs each row has its waits, too; 'idle' means no load of ours"
            + String.format(Locale.ROOT, ", the load average before it was %.1f", loadAverage));
  }

  private List<Result> results(List<Setup> setups) {
    try (TwoJvms jvms = LabJvms.start()) {
      return ReceiveContextExperiment.inTurns(setups, turns,
          setup -> ReceiveContextExperiment.between(jvms.near(), ReceiveContext.POLLING, TwoJvms.FAR, setup));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }
}
