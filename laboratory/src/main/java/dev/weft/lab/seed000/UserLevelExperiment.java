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

/** Section 5.1 of seed 000: applications with the protocol in the kernel, in a task queue, and at the user level as the paper simulates it. */
public final class UserLevelExperiment extends NamedExperiment {
  /** A loss below this is shown as none, and is none. */
  private static final double LEAST_SHOWN = 0.05;

  private final List<Program> programs;

  public UserLevelExperiment() {
    this(Program.TABLE);
  }

  /** Of other sizes, for tests. */
  UserLevelExperiment(List<Program> programs) {
    super("dsm-user-level", "seed 000 5.1: execution times in the kernel, in a task queue and at the user level, with and without load", "ib-2003-p3",
        List.of("dsm.isr.app", "dsm.isr.load", "dsm.taskqueue.app"));
    this.programs = List.copyOf(programs);
  }

  @Override
  public Findings run(Setting setting) {
    Runs runs = new Runs(setting.profile(), setting.seed());
    List<SharedRun.Result> kernel = Gains.run(runs, programs, setup -> setup);
    List<SharedRun.Result> user = Gains.run(runs, programs, setup -> setup.with(Kind.USER_LEVEL));
    List<SharedRun.Result> taskQueue = Gains.run(runs, programs, setup -> setup.with(Kind.TASK_QUEUE));
    List<SharedRun.Result> loadedKernel = Gains.run(runs, programs, setup -> setup.loaded(1));
    List<SharedRun.Result> loadedUser = Gains.run(runs, programs, setup -> setup.with(Kind.USER_LEVEL).loaded(1));
    Gains isr = Gains.of(programs, kernel, user);
    Gains loaded = Gains.of(programs, loadedKernel, loadedUser);
    Gains queue = Gains.of(programs, taskQueue, user);
    long wider = 0;
    for (int i = 0; i < programs.size(); i++) {
      wider += loaded.percents()[i] > isr.percents()[i] ? 1 : 0;
    }
    boolean isMild = queue.mean() < isr.mean() && queue.max() < isr.max() && queue.min() <= -LEAST_SHOWN;
    return new Findings()
        .row("dsm.isr.app", Measured.value(isr.max()))
        .row("dsm.isr.load", Measured.order(wider == programs.size(), "the gap grows in " + wider + " of " + programs.size() + ": " + loaded.text()
            + " with a hog, " + isr.text() + " without"))
        .row("dsm.taskqueue.app", Measured.order(isMild, queue.text() + "; mean " + Gains.number(queue.mean()) + ", ISR's " + Gains.number(isr.mean())))
        .table(new Table("less time than at the user level, in percent of that; 8 hosts with 2 threads",
            List.of("application", "kernel", "kernel, both with a hog", "task queue"), Gains.lines(isr, loaded, queue)))
        .check("the kernel is faster than the user level in every application", isr.min() > 0, isr.text())
        .check("the task queue gains less than ISR in the mean", queue.mean() < isr.mean(), Gains.number(queue.mean()) + " and "
            + Gains.number(isr.mean()) + " %")
        .note("the user level: a signal for each notification, to the first application thread of the host, 1 us for each change of protection and each"
            + " thread that is woken, protection by the operating system");
  }
}
