package dev.weft.lab.seed000;

import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.seed000.shared.Program;
import dev.weft.lab.seed000.shared.Runs;
import dev.weft.lab.seed000.shared.Setup.Kind;
import dev.weft.lab.seed000.shared.SharedRun;
import java.util.List;

/** Section 5.1 of seed 000: threads that wait poll, so that completions do not interrupt. */
public final class PollingExperiment extends NamedExperiment {
  private final List<Program> programs;

  public PollingExperiment() {
    this(Program.TABLE);
  }

  /** Of other sizes, for tests. */
  PollingExperiment(List<Program> programs) {
    super("dsm-polling", "seed 000 5.1: selective polling, with as many threads as processors and with more", "ib-2003-p3", List.of("dsm.poll.fault",
        "dsm.poll.app", "dsm.poll.oversub"));
    this.programs = List.copyOf(programs);
  }

  private static final int TOO_MANY = 3;

  @Override
  public Findings run(Setting setting) {
    Runs runs = new Runs(setting.profile(), setting.seed());
    List<SharedRun.Result> kernel = Gains.run(runs, programs, setup -> setup);
    List<SharedRun.Result> polling = Gains.run(runs, programs, setup -> setup.with(Kind.POLLING));
    List<SharedRun.Result> crowded = runs.of(programs.stream().map(program -> program.on(SpeedupExperiment.HOSTS, TOO_MANY)).toList());
    List<SharedRun.Result> crowdedPolling = runs.of(programs.stream()
        .map(program -> program.on(SpeedupExperiment.HOSTS, TOO_MANY).with(Kind.POLLING)).toList());
    Gains faults = Gains.of(programs, polling, kernel, result -> result.faults().meanNs());
    Gains times = Gains.of(programs, polling, kernel);
    Gains oversubscribed = Gains.of(programs, crowdedPolling, crowded);
    return new Findings()
        .row("dsm.poll.fault", Measured.value(faults.mean()))
        .row("dsm.poll.app", Measured.value(times.max()))
        .row("dsm.poll.oversub", Measured.order(oversubscribed.max() <= 0, oversubscribed.text()))
        .table(new Table("less than without polling, in percent of that; 8 hosts", List.of("application", "mean fault, 2 threads", "time, 2 threads",
            "time, " + TOO_MANY + " threads"), Gains.lines(faults, times, oversubscribed)))
        .note("two processors on each host; a thread that waits keeps its processor and takes completions from the ring until what it waits for is there,"
            + " for 1 ms at most; a fault's time is that from the access to the first instruction after it");
  }
}
