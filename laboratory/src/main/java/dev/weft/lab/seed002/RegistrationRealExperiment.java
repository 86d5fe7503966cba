package dev.weft.lab.seed002;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.RealTimeExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed002.RegistrationExperiment.Result;
import dev.weft.lab.seed002.RegistrationExperiment.Setup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The order of Figure 13 of seed 002 on this machine: pages are really touched, locked and unlocked. The strategies have turns. */
public final class RegistrationRealExperiment implements RealTimeExperiment {
  /** The smallest server-based write (seed 002 section 6.5), where registration matters most; a cache of 100 fits a limit of 8 MB. */
  private static final int BYTES = 64 << 10;
  /** Of virtual time; no server stores anything here. */
  private static final long NO_STORE = 1;
  private static final double US = 1e3;
  private static final double MB = 1 << 20;
  private static final double PERCENT = 100;

  private final int turns;
  private final int operations;
  private final Config overrides;

  public RegistrationRealExperiment() {
    this(15, RegistrationLine.OPERATIONS, ConfigFactory.empty());
  }

  /**
   * A shorter or longer one.
   *
   * @param turns how often each strategy has its turn, 1 or more; one before them does not count
   * @param operations writes in a turn
   * @param overrides settings over the usual configuration
   */
  RegistrationRealExperiment(int turns, int operations, Config overrides) {
    this.turns = turns;
    this.operations = operations;
    this.overrides = overrides;
  }

  @Override
  public String name() {
    return "registration-real";
  }

  @Override
  public String title() {
    return "seed 002 Figure 13 on this machine: order of dynamic registration, pin-down cache and FMRD, with mlock";
  }

  @Override
  public Findings run(Setting setting) {
    Map<RegistrationLine, List<Result>> results = new LinkedHashMap<>();
    RegistrationLine.ALL.forEach(line -> results.put(line, new ArrayList<>()));
    for (int turn = 0; turn <= turns; turn++) {
      for (RegistrationLine line : RegistrationLine.ALL) {
        Result result = once(line, setting.seed() + turn);
        if (result.stats().unpinned() > 0) {
          return new Findings().note(skipped(line, result));
        }
        if (turn > 0) {
          results.get(line).add(result);
        }
      }
    }
    return findings(results);
  }

  private static String skipped(RegistrationLine line, Result result) {
    int buffers = line == RegistrationLine.DYNAMIC ? 1 : RegistrationLine.CACHE;
    return "skipped, nothing is judged: " + result.stats().unpinned() + " of " + result.stats().misses() + " registrations of " + line.name()
        + " did not lock their pages, so they cost less than they should. Either the limit on locked memory (ulimit -l) is too low, " + buffers
        + " of " + BYTES / 1024 + " KiB and some rings must fit and 16 MiB are enough, or weft.hca.pin-memory is off";
  }

  private Result once(RegistrationLine line, long seed) {
    try {
      return RegistrationExperiment.real(new Setup(line.strategy(), line.hitPercent(), BYTES, operations, RegistrationLine.CACHE, NO_STORE),
          seed, overrides);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }

  private Findings findings(Map<RegistrationLine, List<Result>> results) {
    List<List<Object>> lines = new ArrayList<>();
    results.forEach((line, all) -> lines.add(List.of(line.name(), medianNs(all) / US, all.stream().mapToDouble(Result::operationNs).min()
        .orElseThrow() / US, BYTES * 1e9 / MB / medianNs(all), (double) all.getFirst().stats().misses(),
        (double) all.getFirst().stats().batches())));
    Findings findings = new Findings().table(new Table("one write of " + BYTES / 1024 + " KiB in us, and MB/s",
        List.of("strategy", "median", "least", "MB/s", "registrations", "batches"), lines));
    for (RegistrationLine[] pair : RegistrationLine.ORDER) {
      double gain = PERCENT * (medianNs(results.get(pair[0])) / medianNs(results.get(pair[1])) - 1);
      findings.check(pair[0].name() + " < " + pair[1].name() + " in bandwidth, medians", gain > 0, String.format(Locale.ROOT,
          "%.1f us and %.1f us, %+.1f %%", medianNs(results.get(pair[0])) / US, medianNs(results.get(pair[1])) / US, gain));
    }
    double[] rates = results.values().stream().mapToDouble(all -> BYTES * 1e9 / MB / medianNs(all)).toArray();
    return findings
        .chart(Chart.bars("pvfs-fig13-real", "Seed 002 Figure 13 on this machine", "MB/s of 2^20 bytes",
            RegistrationLine.ALL.stream().map(RegistrationLine::name).toList(), List.of(Series.bars("median", false, rates))))
        .note(turns + " turns of " + operations + " writes for each strategy after one that does not count; every registration locked its"
            + " pages; both nodes are in this JVM and the server stores nothing, so the order is judged and not the amount")
        .note("this HCA has no prepared regions: FMRD registers as the pin-down cache does, and saves visits to the hardware thread by"
            + " deregistering in batches");
  }

  private static double medianNs(List<Result> results) {
    double[] sorted = results.stream().mapToDouble(Result::operationNs).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }
}
