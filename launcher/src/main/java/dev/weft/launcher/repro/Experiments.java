package dev.weft.launcher.repro;

import dev.weft.launcher.repro.dsm.ContextsExperiment;
import dev.weft.launcher.repro.dsm.ContextsRealExperiment;
import dev.weft.launcher.repro.dsm.ContextsTwoJvmsExperiment;
import dev.weft.launcher.repro.hpbd.BarnesExperiment;
import dev.weft.launcher.repro.hpbd.PrimitivesExperiment;
import dev.weft.launcher.repro.hpbd.QuickSortExperiment;
import dev.weft.launcher.repro.hpbd.ServersExperiment;
import dev.weft.launcher.repro.hpbd.TestswapExperiment;
import dev.weft.launcher.repro.hpbd.TwoSortsExperiment;
import dev.weft.launcher.repro.mpi.MpiFigures;
import dev.weft.launcher.repro.netvm.NetVmFigures;
import dev.weft.launcher.repro.pvfs.LocalFilesExperiment;
import dev.weft.launcher.repro.pvfs.RegistrationFigure;
import dev.weft.launcher.repro.pvfs.RegistrationRealExperiment;
import dev.weft.launcher.repro.pvfs.VerbsTableExperiment;
import dev.weft.launcher.repro.scale.ScaleRealExperiment;
import java.util.List;
import java.util.stream.Collectors;

/** Every experiment there is. A new one is registered here. */
final class Experiments {
  private static final List<Experiment> ALL = List.of(
      new ContextsExperiment(), new ContextsRealExperiment(), new ContextsTwoJvmsExperiment(), new VerbsTableExperiment(),
      new PrimitivesExperiment(), new TestswapExperiment(), new QuickSortExperiment(), new BarnesExperiment(), new MpiFigures(),
      new TwoSortsExperiment(), new ServersExperiment(), new LocalFilesExperiment(), new RegistrationFigure(),
      new RegistrationRealExperiment(), new NetVmFigures(), new ScaleRealExperiment());

  private Experiments() {}

  static List<Experiment> all() {
    return ALL;
  }

  static String names() {
    return ALL.stream().map(Experiment::name).collect(Collectors.joining(", "));
  }

  /** The names of those that speak to a row, joined by commas; empty if there is none. */
  static String speakingTo(String row, List<Experiment> experiments) {
    return experiments.stream().filter(e -> e.rows().contains(row)).map(Experiment::name).collect(Collectors.joining(","));
  }
}
