package dev.weft.lab.seed001;

import dev.weft.lab.hosts.SwapProfile;
import dev.weft.lab.hosts.TcpCosts;
import dev.weft.lab.repro.Derivation;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Point;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** Figures 2 and 4 of seed 001: one-way latency by size of copying, RDMA Write and TCP; registration against copying. */
public final class PrimitivesExperiment extends NamedExperiment {
  private static final int SMALLEST = 4;
  private static final int PAGE_BYTES = 4096;
  private static final double US = 1e3;
  private static final double MB = 1 << 20;

  public PrimitivesExperiment() {
    super("primitives", "seed 001 Figures 2 and 4: latency of copy, RDMA Write, IPoIB and GigE; registration against copying", Hpbd.PROFILE,
        List.of("hpbd.fault.user", "pvfs.raw.write.bw"));
  }

  @Override
  public Map<String, Derivation> derived() {
    return Map.of("hpbd.fault.user", Derivation.of("the profile's number", "memory.page-fault"));
  }

  @Override
  public Findings run(Setting setting) {
    SwapProfile profile = Hpbd.profile(setting);
    Findings findings = new Findings();
    try (RdmaProbe probe = new RdmaProbe(profile, setting.seed())) {
      findings.row("hpbd.fault.user", Measured.value(profile.value("kernel.user-fault")));
      findings.note(String.format(Locale.ROOT, "an RDMA Write of 4 bytes takes %.2f us: adapters and buses are those of seed 002, to whose"
          + " latency 'verbs' is calibrated; the switch of seed 001 is larger", probe.writeNs(SMALLEST) / US));
      findings.row("pvfs.raw.write.bw", Measured.value(probe.writeBytesPerSecond() / MB));
      findings.chart(Chart.lines("hpbd-fig2-latency", "Seed 001 Figure 2: latency by size", "bytes", "us", true, List.of(
          series("memcpy", bytes -> copyNs(profile, bytes)),
          series("RDMA Write", probe::writeNs),
          series("IPoIB", bytes -> tcpNs(profile, "ipoib", bytes)),
          series("GigE", bytes -> tcpNs(profile, "gige", bytes)))));
    }
    findings.chart(Chart.lines("hpbd-fig4-registration", "Seed 001 Figure 4: registration against copying", "bytes", "us", true,
        List.of(series("memcpy", bytes -> copyNs(profile, bytes)), series("registration", bytes -> registrationNs(profile, bytes)),
            series("registration and deregistration",
                bytes -> registrationNs(profile, bytes) + deregistrationNs(profile, bytes)))));
    return findings.note("the text of seed 001 gives no numbers for Figures 2 and 4, only their order: RDMA Write close to copying,"
        + " registration much dearer than copying");
  }

  private static Series series(String name, IntToDoubleFunction ns) {
    List<Point> points = new ArrayList<>();
    for (int bytes = SMALLEST; bytes <= RdmaProbe.BYTES_MAX; bytes *= 2) {
      points.add(new Point(bytes, Math.max(0.001, ns.applyAsDouble(bytes) / US)));
    }
    return new Series(name, false, points);
  }

  private static double copyNs(SwapProfile profile, int bytes) {
    return bytes * 1e9 / profile.bytesPerSecond("memory.copy-rate");
  }

  private static double tcpNs(SwapProfile profile, String path, int bytes) {
    return TcpCosts.of(profile.hardware().name(), path).messageNs(bytes, profile.hardware().memory());
  }

  private static double registrationNs(SwapProfile profile, int bytes) {
    return profile.us("registration.call") + pages(bytes) * (double) profile.us("registration.page");
  }

  private static double deregistrationNs(SwapProfile profile, int bytes) {
    return profile.us("registration.deregistration") + pages(bytes) * (double) profile.us("registration.deregistration-page");
  }

  private static int pages(int bytes) {
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
  }
}
