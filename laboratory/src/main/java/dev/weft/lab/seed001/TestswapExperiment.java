package dev.weft.lab.seed001;

import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.hosts.WhatIf;
import dev.weft.lab.repro.Comparison;
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
import java.util.Locale;
import java.util.Map;

/** Figures 6 and 7 of seed 001: writing 1 GB from front to back with 512 MB of memory. */
public final class TestswapExperiment extends NamedExperiment {
  private static final double KIB = 1024;
  private static final double NS_PER_SECOND = 1e9;
  private static final double PERCENT = 100;

  public TestswapExperiment() {
    super("testswap", "seed 001 Figures 6 and 7: sequential write of 1 GB with 512 MB of memory, by swap device", Hpbd.PROFILE,
        List.of("hpbd.testswap.local", "hpbd.testswap.hpbd", "hpbd.testswap.gige", "hpbd.testswap.ipoib", "hpbd.testswap.disk",
        "hpbd.testswap.request", "hpbd.net.gige", "hpbd.net.ipoib", "hpbd.net.hpbd"));
  }

  @Override
  public Tolerance tolerance(String row) {
    return row.startsWith("hpbd.net") ? PREDICTED_TOLERANCE : Hpbd.ONE_SERVER_TOLERANCE;
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("hpbd.testswap.local", Hpbd.itself("hpbd.testswap.local"), "hpbd.testswap.request",
        Derivation.of("a sequential writer fills every request with the pages that are laundered at a time", "kernel.reclaim-batch"));
  }

  @Override
  public Findings run(Setting setting) {
    SwapProfile profile = Hpbd.profile(setting);
    Map<Backing, SwapRun> runs = new EnumMap<>(Backing.class);
    for (Backing backing : Backing.values()) {
      runs.put(backing, run(profile, backing, setting));
    }
    double local = runs.get(Backing.LOCAL).seconds();
    double hpbd = runs.get(Backing.HPBD).seconds();
    Findings findings = new Findings()
        .row("hpbd.testswap.local", Measured.value(local))
        .row("hpbd.testswap.hpbd", Measured.value(hpbd))
        .row("hpbd.testswap.gige", Measured.value(runs.get(Backing.NBD_GIGE).seconds() / hpbd))
        .row("hpbd.testswap.ipoib", Measured.value(runs.get(Backing.NBD_IPOIB).seconds() / hpbd))
        .row("hpbd.testswap.disk", Measured.value(runs.get(Backing.DISK).seconds() / hpbd))
        .row("hpbd.testswap.request", Measured.value(runs.get(Backing.HPBD).stats().meanRequestBytes() / KIB));
    double networkSeconds = slowerNetworkSeconds(runs, profile);
    double difference = runs.get(Backing.NBD_GIGE).seconds() - runs.get(Backing.NBD_IPOIB).seconds();
    findings.row("hpbd.net.gige", Measured.value(PERCENT * networkSeconds / (runs.get(Backing.NBD_GIGE).seconds() - local)));
    findings.row("hpbd.net.ipoib",
        Measured.value(PERCENT * (networkSeconds - difference) / (runs.get(Backing.NBD_IPOIB).seconds() - local)));
    SwapProfile freeNetwork = profile.over(WhatIf.freeNetwork(profile.hardware()));
    findings.row("hpbd.net.hpbd",
        Measured.atMost(PERCENT * (hpbd - run(freeNetwork, Backing.HPBD, setting).seconds()) / (hpbd - local)));
    findings.chart(chart(runs),
        PaperPoint.of(Backing.LOCAL.ordinal(), "hpbd.testswap.local"), PaperPoint.of(Backing.HPBD.ordinal(), "hpbd.testswap.hpbd"),
        PaperPoint.of(Backing.NBD_IPOIB.ordinal(), "hpbd.testswap.ipoib", "hpbd.testswap.hpbd"),
        PaperPoint.of(Backing.NBD_GIGE.ordinal(), "hpbd.testswap.gige", "hpbd.testswap.hpbd"),
        PaperPoint.of(Backing.DISK.ordinal(), "hpbd.testswap.disk", "hpbd.testswap.hpbd"));
    findings.chart(Chart.bars("hpbd-fig7-request", "Seed 001 Figure 7: mean request of testswap", "KiB", List.of(Backing.HPBD.label()),
        List.of(Series.bars("Weft", false, runs.get(Backing.HPBD).stats().meanRequestBytes() / KIB))),
        PaperPoint.of(0, "hpbd.testswap.request"));
    return findings.note(Hpbd.scaleNote())
        .note("network share of NBD, by Amdahl's law as the paper has it: GigE and IPoIB differ in nothing but the network, by the ratio of"
            + " Figure 2 at the mean request; of HPBD: what the overhead over local memory loses when adapters, links and switch cost nothing")
        .note("the shares of NBD are too large: " + lacking(runs, profile))
        .note("a program waits for the pages it launders; with a kernel thread that reclaims beside it instead: "
            + background(profile, setting));
  }

  /** What the other reading of the kernel would give; not judged. */
  private static String background(SwapProfile profile, Setting setting) {
    StringBuilder text = new StringBuilder();
    for (Backing backing : Backing.values()) {
      if (backing != Backing.LOCAL) {
        Machine machine = new Machine(backing, Hpbd.LOCAL_MB, Hpbd.SWAP_MB, 1, Hpbd.SCALE, true);
        double seconds = Hpbd.run(profile, machine, setting, Hpbd.testswap(profile, setting)).seconds();
        text.append(text.isEmpty() ? "" : ", ").append(backing.label()).append(' ').append(Comparison.number(seconds)).append(" s");
      }
    }
    return text.toString();
  }

  private static SwapRun run(SwapProfile profile, Backing backing, Setting setting) {
    SequentialWrite program = Hpbd.testswap(profile, setting);
    return Hpbd.run(profile, Hpbd.machine(backing, Hpbd.LOCAL_MB), setting, program);
  }

  /** Seconds of the run over GigE that are due to GigE, if that over IPoIB is the same but for a network as much faster as Figure 2 says. */
  private static double slowerNetworkSeconds(Map<Backing, SwapRun> runs, SwapProfile profile) {
    double faster = messageNs(runs, profile, "ipoib") / messageNs(runs, profile, "gige");
    return (runs.get(Backing.NBD_GIGE).seconds() - runs.get(Backing.NBD_IPOIB).seconds()) / (1 - faster);
  }

  /** One way of a request of the mean length. */
  private static double messageNs(Map<Backing, SwapRun> runs, SwapProfile profile, String path) {
    return TcpCosts.of(profile.hardware().name(), path)
        .messageNs(Math.round(runs.get(Backing.NBD_GIGE).stats().meanRequestBytes()), profile.hardware().memory());
  }

  /** Why: the program waits for every request from end to end. */
  private static String lacking(Map<Backing, SwapRun> runs, SwapProfile profile) {
    SwapRun gige = runs.get(Backing.NBD_GIGE);
    long requests = gige.stats().writeRequests + gige.stats().readRequests;
    double onWire = requests * messageNs(runs, profile, "gige") * Hpbd.SCALE / NS_PER_SECOND;
    return String.format(Locale.ROOT, "the program waits for each request from end to end, %.1f s on GigE for all of them; the paper's"
        + " shares mean clearly fewer seconds, so there a part of the traffic went beside the program; the model has either no"
        + " such overlap or, with background reclaim, a device that is never idle", onWire);
  }

  private static Chart chart(Map<Backing, SwapRun> runs) {
    return Chart.bars("hpbd-fig6-testswap", "Seed 001 Figure 6: testswap", "seconds",
        Arrays.stream(Backing.values()).map(Backing::label).toList(), List.of(
            Series.bars("Weft", false,
                runs.values().stream().mapToDouble(SwapRun::seconds).toArray())));
  }
}
