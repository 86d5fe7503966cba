package dev.weft.lab.seed002;

import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed002.RegistrationExperiment.Setup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Figure 13 of seed 002: write bandwidth with dynamic registration, pin-down cache and FMRD. The paper gives no size; the sweep is from
 * the smallest server-based write (section 6.5) to the region of one I/O node (section 6.3).
 */
public final class RegistrationFigure extends NamedExperiment {
  private static final int SMALLEST = 64 << 10;
  private static final int LARGEST = 2 << 20;
  /** Writes through the transport; each takes the same time. */
  private static final int TRANSPORTED = 8;
  private static final double MB = 1 << 20;
  private static final double PERCENT = 100;
  private static final Tolerance TEN_POINTS = Tolerance.absolute(10);

  public RegistrationFigure() {
    super("registration", "seed 002 Figure 13: write bandwidth with dynamic registration, pin-down cache and FMRD", "ib-2003-xeon",
        List.of("pvfs.reg.dynamic", "pvfs.reg.pin80", "pvfs.reg.fmrd80", "pvfs.reg.fmrd20", "pvfs.reg.fmr", "pvfs.reg.fmd"));
  }

  /** Every predicted row is in percent. */
  @Override
  public Tolerance tolerance(String row) {
    return TEN_POINTS;
  }

  /** No fabric runs for them. */
  @Override
  public Map<String, Derivation> derived() {
    String how = "the difference of two of the profile's numbers";
    return Map.of("pvfs.reg.fmr", Derivation.of(how, "memory.register", "memory.fast-register"),
        "pvfs.reg.fmd", Derivation.of(how, "memory.deregister", "memory.batch-deregister"));
  }

  @Override
  public Map<String, String> choices() {
    String costs = ", and registering and deregistering at 70 and 65 us for a call, assumed";
    String mean = "the mean over sizes from 64 KiB to 2 MiB, of which the paper names none" + costs;
    return Map.of("pvfs.reg.dynamic", "the largest of the sizes from 64 KiB to 2 MiB, of which the paper names none" + costs,
        "pvfs.reg.pin80", mean, "pvfs.reg.fmrd80", mean, "pvfs.reg.fmrd20", mean);
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    long store = Math.round(setting.calibration().value("pvfs.fs.ramfs.write") * MB);
    Map<RegistrationLine, List<Point>> normalized = new LinkedHashMap<>();
    RegistrationLine.ALL.forEach(line -> normalized.put(line, new ArrayList<>()));
    for (int bytes = SMALLEST; bytes <= LARGEST; bytes *= 2) {
      double plainNs = RegistrationExperiment.virtual(profile, setting.seed(),
          new Setup(Strategy.STATIC, 0, bytes, TRANSPORTED, RegistrationLine.CACHE, store)).operationNs();
      for (RegistrationLine line : RegistrationLine.ALL) {
        Setup setup = new Setup(line.strategy(), line.hitPercent(), bytes, RegistrationLine.OPERATIONS, RegistrationLine.CACHE, store);
        double ownNs = (double) RegistrationExperiment.registrationNs(profile, setting.seed(), setup) / RegistrationLine.OPERATIONS;
        normalized.get(line).add(new Point(bytes, plainNs / (plainNs + ownNs)));
      }
    }
    double reduction = normalized.get(RegistrationLine.DYNAMIC).stream().mapToDouble(point -> PERCENT * (1 - point.y())).max().orElseThrow();
    var costs = profile.memory();
    Findings findings = new Findings()
        .row("pvfs.reg.dynamic", Measured.value(reduction))
        .row("pvfs.reg.pin80", Measured.value(mean(normalized, RegistrationLine.PIN_80, RegistrationLine.DYNAMIC)))
        .row("pvfs.reg.fmrd80", Measured.value(mean(normalized, RegistrationLine.FMRD_80, RegistrationLine.DYNAMIC)))
        .row("pvfs.reg.fmrd20", Measured.value(mean(normalized, RegistrationLine.FMRD_20, RegistrationLine.PIN_20)))
        .row("pvfs.reg.fmr", Measured.value((costs.registerNs() - costs.fastRegisterNs()) / 1e3))
        .row("pvfs.reg.fmd", Measured.value((costs.deregisterNs() - costs.batchDeregisterNs()) / 1e3))
        .note("the paper states no buffer size: the reduction is the largest of the sweep, improvements are means of the sweep")
        .note("operations through the transport are timed without registration; what a strategy charges is added, see docs/guides/unpinned-memory.md");
    noteRange(findings, "pin-down cache 80% against dynamic", normalized, RegistrationLine.PIN_80, RegistrationLine.DYNAMIC);
    noteRange(findings, "FMRD 80% against dynamic", normalized, RegistrationLine.FMRD_80, RegistrationLine.DYNAMIC);
    noteRange(findings, "FMRD 20% against pin-down cache 20%", normalized, RegistrationLine.FMRD_20, RegistrationLine.PIN_20);
    checkOrder(findings, normalized);
    List<Series> series = RegistrationLine.ALL.stream().map(line -> new Series(line.name(), false, normalized.get(line))).toList();
    return findings.chart(Chart.lines("pvfs-fig13-registration", "Seed 002 Figure 13: write bandwidth against no registration", "bytes",
        "share", true, series));
  }

  /** The paper's order, at every size. */
  private static void checkOrder(Findings findings, Map<RegistrationLine, List<Point>> normalized) {
    for (RegistrationLine[] pair : RegistrationLine.ORDER) {
      double least = improvements(normalized, pair[1], pair[0]).min().orElseThrow();
      findings.check(pair[0].name() + " < " + pair[1].name() + " at every size", least > 0,
          String.format(Locale.ROOT, "at least %.1f %%", least));
    }
  }

  private static double mean(Map<RegistrationLine, List<Point>> normalized, RegistrationLine better, RegistrationLine worse) {
    return improvements(normalized, better, worse).average().orElseThrow();
  }

  /** In percent, one for each size, smallest first. */
  private static DoubleStream improvements(Map<RegistrationLine, List<Point>> normalized, RegistrationLine better, RegistrationLine worse) {
    List<Point> of = normalized.get(better);
    List<Point> against = normalized.get(worse);
    return IntStream.range(0, of.size()).mapToDouble(i -> PERCENT * (of.get(i).y() / against.get(i).y() - 1));
  }

  private static void noteRange(Findings findings, String what, Map<RegistrationLine, List<Point>> normalized, RegistrationLine better,
      RegistrationLine worse) {
    StringBuilder text = new StringBuilder(what + ", percent, 64 KiB to 2 MiB:");
    improvements(normalized, better, worse).forEach(percent -> text.append(String.format(Locale.ROOT, " %.1f", percent)));
    findings.note(text.toString());
  }
}
