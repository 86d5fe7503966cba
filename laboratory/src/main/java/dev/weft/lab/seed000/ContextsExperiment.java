package dev.weft.lab.seed000;

import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed000.Contexts.Group;
import dev.weft.lab.seed000.ReceiveContextExperiment.Result;
import dev.weft.lab.seed000.ReceiveContextExperiment.Setup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Table 1 of seed 000: a round trip by receive context, idle as the paper measured it and under three loads. */
public final class ContextsExperiment extends NamedExperiment {
  private static final int ROUNDS = 10_000;
  private static final int WARMUP = 10;
  private static final int MESSAGE_BYTES = 64;
  private static final double PERCENT = 100;

  public ContextsExperiment() {
    super("contexts", "seed 000 Table 1: round trip by receive context, idle and loaded", "ib-2003-p3", List.of("dsm.t1.polling", "dsm.t1.isr",
        "dsm.t1.taskqueue", "dsm.t1.process", "dsm.isr.saving", "dsm.taskqueue.tail"));
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("dsm.isr.saving", Derivation.of("the difference of two calibrated round trips", "dsm.t1.isr", "dsm.t1.process"));
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    int cores = profile.cpu().cores();
    Group idle = group("idle", profile, setting, 0, false);
    Group hogs = group("a hog per processor", profile, setting, cores, false);
    Group threads = group("application threads", profile, setting, cores - 1, true);
    Group loaded = group("application threads and a hog", profile, setting, cores, true);
    Findings findings = rows(idle, hogs, loaded);
    findings.table(Contexts.table(List.of(idle, hogs, threads, loaded)));
    check(findings, idle, hogs, threads, loaded);
    findings.chart(Chart.bars("dsm-t1-contexts", "Seed 000 Table 1: mean round trip by receive context", "us", Contexts.labels(),
        List.of(Series.bars("idle", false, Contexts.means(idle)), Series.bars("hogs", false, Contexts.means(hogs)),
            Series.bars("threads", false, Contexts.means(threads)), Series.bars("threads and hog", false, Contexts.means(loaded)))),
        PaperPoint.of(0, "dsm.t1.polling"), PaperPoint.of(1, "dsm.t1.isr"), PaperPoint.of(2, "dsm.t1.taskqueue"),
        PaperPoint.of(3, "dsm.t1.process"));
    for (Group group : List.of(idle, hogs, threads, loaded)) {
      String file = "dsm-t1-distribution-" + group.name().replace(' ', '-');
      findings.chart(Contexts.distributions(file, "Distribution of round trips: " + group.name(), group));
    }
    return notes(findings, cores);
  }

  /** Every context with {@code load} hogs on the server; the process that a signal reaches may compute, too. */
  private static Group group(String name, HardwareProfile profile, Setting setting, int load, boolean serverComputes) {
    List<Result> results = new ArrayList<>();
    for (ReceiveContext context : ReceiveContext.values()) {
      results.add(ReceiveContextExperiment.virtual(profile, setting.seed(),
          new Setup(context, ROUNDS, WARMUP, load, MESSAGE_BYTES, serverComputes, 0)));
    }
    return new Group(name, results);
  }

  private static Findings rows(Group idle, Group hogs, Group loaded) {
    double process = idle.mean(ReceiveContext.PROCESS);
    return new Findings()
        .row("dsm.t1.polling", Measured.value(idle.mean(ReceiveContext.POLLING)))
        .row("dsm.t1.isr", Measured.value(idle.mean(ReceiveContext.ISR)))
        .row("dsm.t1.taskqueue", Measured.value(idle.mean(ReceiveContext.TASK_QUEUE)))
        .row("dsm.t1.process", Measured.value(process))
        .row("dsm.isr.saving", Measured.value(PERCENT * (process - idle.mean(ReceiveContext.ISR)) / process))
        .row("dsm.taskqueue.tail", Measured.value(
            Math.max(hogs.mean(ReceiveContext.TASK_QUEUE), loaded.mean(ReceiveContext.TASK_QUEUE))));
  }

  private static void check(Findings findings, Group idle, Group hogs, Group threads, Group loaded) {
    findings.check("idle, polling < ISR < task queue < process at p50",
        idle.p50(ReceiveContext.POLLING) < idle.p50(ReceiveContext.ISR) && idle.isInOrder(), idle.medians());
    for (Group group : List.of(hogs, threads, loaded)) {
      findings.check(group.name() + ": ISR < task queue < process at p50", group.isInOrder(), group.medians());
    }
    double without = gap(threads);
    double with = gap(loaded);
    findings.check("a hog beside the application threads widens the gap between process and ISR in the mean", with > without,
        Comparison.number(without) + " us without, " + Comparison.number(with) + " us with");
    double polling = hogs.mean(ReceiveContext.POLLING);
    double isr = hogs.mean(ReceiveContext.ISR);
    findings.check("with more processes than processors, polling is slower than ISR in the mean", polling > isr,
        "polling " + Comparison.number(polling) + " us, ISR " + Comparison.number(isr) + " us");
  }

  private static double gap(Group group) {
    return group.mean(ReceiveContext.PROCESS) - group.mean(ReceiveContext.ISR);
  }

  private static Findings notes(Findings findings, int cores) {
    return findings
        .note("the idle case is calibrated; everything loaded is predicted. " + cores + " processors; 'application threads': the process"
            + " that a signal reaches computes, and so do others until every processor has one (seed 000 section 5.1 has two threads);"
            + " 'and a hog': one process more")
        .note("the client waits for each reply, so a pause counts once, however long it is, in distributions and means")
        .note("dsm.taskqueue.tail: the model's task queues run right after the interrupt; it has no kernel thread that serves them when"
            + " they are overrun, which would wait for its turn like any process")
        .note("a ping-pong does not speak to dsm.isr.app, dsm.isr.load, dsm.taskqueue.app, dsm.poll.app, dsm.poll.oversub and"
            + " dsm.rdmaread.app, which are execution times of applications, nor to dsm.poll.fault and dsm.rdmaread.fault, which are"
            + " page faults of the memory protocol; the two last checks show the mechanism of dsm.isr.load and dsm.poll.oversub only");
  }
}
