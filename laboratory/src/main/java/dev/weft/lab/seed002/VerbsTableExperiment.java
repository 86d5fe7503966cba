package dev.weft.lab.seed002;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed002.VerbsExperiment.Verb;
import java.util.List;
import java.util.Map;

/** Table 2 of seed 002: latency and bandwidth of single verbs, on which the profile is calibrated. */
public final class VerbsTableExperiment extends NamedExperiment {
  private static final List<String> LABELS = List.of("Send", "RDMA Write", "RDMA Read");
  private static final String TCP = "ibnice";
  private static final long SMALLEST = 4;
  private static final long STREAM = 64L << 20;
  private static final double US = 1e3;
  private static final double MB = 1 << 20;

  public VerbsTableExperiment() {
    super("verbs", "seed 002 Table 2: latency of 4 bytes and bandwidth of 1 MiB by verb, and of TCP", "ib-2003-xeon", List.of("pvfs.raw.send.lat",
        "pvfs.raw.send.bw", "pvfs.raw.write.lat", "pvfs.raw.write.bw", "pvfs.raw.read.lat", "pvfs.raw.read.bw", "pvfs.raw.ibnice.lat",
        "pvfs.raw.ibnice.bw"));
  }

  @Override
  public Map<String, Derivation> derived() {
    Derivation tcp = Derivation.of("what the profile charges for TCP; none runs", "tcp.ibnice");
    return Map.of("pvfs.raw.ibnice.lat", tcp, "pvfs.raw.ibnice.bw", tcp);
  }

  @Override
  public Findings run(Setting setting) {
    HardwareProfile profile = HardwareProfile.load(setting.profile());
    Verb[] verbs = Verb.values();
    double[] us = new double[verbs.length];
    double[] rate = new double[verbs.length];
    Findings findings = new Findings();
    for (Verb verb : verbs) {
      String row = switch (verb) {
        case SEND -> "pvfs.raw.send";
        case RDMA_WRITE -> "pvfs.raw.write";
        case RDMA_READ -> "pvfs.raw.read";
      };
      us[verb.ordinal()] = VerbsExperiment.latencyNs(profile, verb, setting.seed()) / US;
      rate[verb.ordinal()] = VerbsExperiment.bandwidth(profile, verb, setting.seed()) / MB;
      findings.row(row + ".lat", Measured.value(us[verb.ordinal()])).row(row + ".bw", Measured.value(rate[verb.ordinal()]));
    }
    TcpCosts tcp = TcpCosts.of(profile.name(), TCP);
    findings.row("pvfs.raw.ibnice.lat", Measured.value(tcp.messageNs(SMALLEST, profile.memory()) / US))
        .row("pvfs.raw.ibnice.bw", Measured.value(STREAM * 1e9 / MB / tcp.messageNs(STREAM, profile.memory())));
    return findings
        .chart(Chart.bars("pvfs-t2-latency", "Seed 002 Table 2: latency of 4 bytes", "us", LABELS,
            List.of(Series.bars("Weft", false, us))), PaperPoint.of(Verb.SEND.ordinal(), "pvfs.raw.send.lat"),
            PaperPoint.of(Verb.RDMA_WRITE.ordinal(), "pvfs.raw.write.lat"), PaperPoint.of(Verb.RDMA_READ.ordinal(), "pvfs.raw.read.lat"))
        .chart(Chart.bars("pvfs-t2-bandwidth", "Seed 002 Table 2: bandwidth", "MB/s of 2^20 bytes", LABELS,
            List.of(Series.bars("Weft", false, rate))), PaperPoint.of(Verb.SEND.ordinal(), "pvfs.raw.send.bw"),
            PaperPoint.of(Verb.RDMA_WRITE.ordinal(), "pvfs.raw.write.bw"), PaperPoint.of(Verb.RDMA_READ.ordinal(), "pvfs.raw.read.bw"))
        .note("the profile is calibrated on these rows; verbs go through the transport; pvfs.raw.ibnice.* is what the profile charges for TCP");
  }
}
