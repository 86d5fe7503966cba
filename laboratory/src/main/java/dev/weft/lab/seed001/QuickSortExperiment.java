package dev.weft.lab.seed001;

import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Figure 8 of seed 001: sorting 256M ints with 512 MB of memory. */
public final class QuickSortExperiment extends NamedExperiment {
  public QuickSortExperiment() {
    super("quicksort", "seed 001 Figure 8: quicksort of 1 GB of ints with 512 MB of memory, by swap device", Hpbd.PROFILE, List.of("hpbd.qsort.local",
        "hpbd.qsort.hpbd", "hpbd.qsort.gige", "hpbd.qsort.ipoib", "hpbd.qsort.disk"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return Hpbd.ONE_SERVER_TOLERANCE;
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("hpbd.qsort.local", Hpbd.itself("hpbd.qsort.local"));
  }

  @Override
  public Findings run(Setting setting) {
    SwapProfile profile = Hpbd.profile(setting);
    QuickSort sort = new Hpbd.Sorter(profile, setting).sort(0);
    Map<Backing, SwapRun> runs = new EnumMap<>(Backing.class);
    for (Backing backing : Backing.values()) {
      runs.put(backing, Hpbd.run(profile, Hpbd.machine(backing, Hpbd.LOCAL_MB), setting, sort));
    }
    double hpbd = runs.get(Backing.HPBD).seconds();
    return new Findings()
        .row("hpbd.qsort.local", Measured.value(runs.get(Backing.LOCAL).seconds()))
        .row("hpbd.qsort.hpbd", Measured.value(hpbd))
        .row("hpbd.qsort.gige", Measured.value(runs.get(Backing.NBD_GIGE).seconds() / hpbd))
        .row("hpbd.qsort.ipoib", Measured.value(runs.get(Backing.NBD_IPOIB).seconds() / hpbd))
        .row("hpbd.qsort.disk", Measured.value(runs.get(Backing.DISK).seconds() / hpbd))
        .chart(Chart.bars("hpbd-fig8-quicksort", "Seed 001 Figure 8: quicksort", "seconds",
            Arrays.stream(Backing.values()).map(Backing::label).toList(),
            List.of(Series.bars("Weft", false, runs.values().stream().mapToDouble(SwapRun::seconds).toArray()))),
            PaperPoint.of(Backing.LOCAL.ordinal(), "hpbd.qsort.local"), PaperPoint.of(Backing.HPBD.ordinal(), "hpbd.qsort.hpbd"),
            PaperPoint.of(Backing.NBD_IPOIB.ordinal(), "hpbd.qsort.ipoib", "hpbd.qsort.hpbd"),
            PaperPoint.of(Backing.NBD_GIGE.ordinal(), "hpbd.qsort.gige", "hpbd.qsort.hpbd"),
            PaperPoint.of(Backing.DISK.ordinal(), "hpbd.qsort.disk", "hpbd.qsort.hpbd"))
        .note(Hpbd.scaleNote())
        .note("a smaller array has fewer levels in memory; a comparison costs what makes the whole sort take the calibrated time")
        .note(traffic(runs.get(Backing.HPBD)))
        .note("the disk model has no cache in the drive. One of 2 MiB that takes writes at once and writes them out in order of place was tried:"
            + " quicksort was slower (5.9) and testswap faster (1.4), so it is not that which the model lacks, and what it is is not known")
        .note("seek, turn and rate are the data sheet's and fit testswap; a read of 32 KiB beside writes elsewhere pays for seek and turn each"
            + " time, which the real kernel and drive seem to have avoided more often");
  }

  static String traffic(SwapRun run) {
    return "of the HPBD run, not scaled: " + run.stats().pagesOut + " pages out in " + run.stats().writeRequests + " requests, "
        + run.stats().pagesIn + " pages in in " + run.stats().readRequests + ", " + run.stats().majorFaults + " faults waited";
  }
}
