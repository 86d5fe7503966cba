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
import java.util.Map;

/** Section 5.1 of seed 000: readers fetch by RDMA Read what nobody writes, rather than have it written by its owner. */
public final class RdmaReadExperiment extends NamedExperiment {
  private final List<Program> programs;

  public RdmaReadExperiment() {
    this(Program.TABLE);
  }

  /** Of other sizes, for tests. */
  RdmaReadExperiment(List<Program> programs) {
    super("dsm-rdma-read", "seed 000 5.1: read faults by RDMA Read rather than RDMA Write", "ib-2003-p3", List.of("dsm.rdmaread.fault",
        "dsm.rdmaread.app"));
    this.programs = List.copyOf(programs);
  }

  @Override
  public Map<String, String> choices() {
    String choice = "the first host as the home of everything: where homes are spread, the home mostly has a copy itself, and nothing is read by RDMA";
    return Map.of("dsm.rdmaread.fault", choice, "dsm.rdmaread.app", choice);
  }

  @Override
  public Findings run(Setting setting) {
    Runs runs = new Runs(setting.profile(), setting.seed());
    List<SharedRun.Result> written = Gains.run(runs, programs, setup -> setup.with(Kind.CENTRALIZED));
    List<SharedRun.Result> read = Gains.run(runs, programs, setup -> setup.with(Kind.RDMA_READ));
    Gains faults = Gains.of(programs, read, written, result -> result.faults().readMeanNs());
    Gains times = Gains.of(programs, read, written);
    return new Findings()
        .row("dsm.rdmaread.fault", Measured.value(-faults.mean()))
        .row("dsm.rdmaread.app", Measured.order(2 * times.above(0) > programs.size(), times.above(0) + " of " + programs.size() + " improve: "
            + times.text()))
        .table(new Table("less than with RDMA Write, in percent of that; 8 hosts with 2 threads", List.of("application", "mean read fault", "time"),
            Gains.lines(faults, times)));
  }
}
