package dev.weft.launcher.netvm;

import dev.weft.fabric.host.HardwareProfile;
import dev.weft.hca.experiments.LockExperiment;
import dev.weft.hca.experiments.NetVmExperiment;
import dev.weft.hca.experiments.NetVmExperiment.Detection;
import dev.weft.launcher.CommandFailure;
import dev.weft.launcher.ExitCode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft netvm}. */
@Command(
    name = "netvm",
    description = {"Measures transfers to memory that is not pinned, what pinning costs instead, and locks made of the HCA's atomics, on",
        "a hardware profile in virtual time. The same seed gives the same numbers on every machine."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft netvm latency                    writes to pages that are there, and to one that is not; notifications",
        "  ./weft netvm bandwidth",
        "  ./weft netvm pinning                    translation against registration, by hit rate",
        "  ./weft netvm locks"})
public final class NetVmCommand implements Callable<Integer> {
  /** What is measured. */
  enum What { LATENCY, BANDWIDTH, PINNING, LOCKS }

  private static final int[] SIZES = {4, 64, 1024, 4096, 16_384, 65_536};
  private static final int MESSAGES = 16;
  private static final double[] HIT_RATES = {0, 0.5, 0.8, 0.9, 0.945, 0.99};

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "WHAT", description = "latency, bandwidth, pinning or locks")
  private What what;

  @Option(names = "--profile", paramLabel = "NAME", defaultValue = "lanai9", description = "hardware profile (default: ${DEFAULT-VALUE})")
  private String profileName;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "seed of the runs (default: ${DEFAULT-VALUE})")
  private long seed;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    HardwareProfile profile;
    try {
      profile = HardwareProfile.load(profileName);
    } catch (IllegalArgumentException wrong) {
      throw new CommandFailure(wrong.getMessage(), wrong);
    }
    out.println("virtual time, profile " + profile.name() + ", seed " + seed);
    switch (what) {
      case LATENCY -> latency(out, profile);
      case BANDWIDTH -> bandwidth(out, profile);
      case PINNING -> pinning(out, profile);
      case LOCKS -> LockExperiment.run(profile, seed).lines().forEach(out::println);
    }
    out.flush();
    return ExitCode.OK;
  }

  private static void line(PrintWriter out, String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }

  private void latency(PrintWriter out, HardwareProfile profile) {
    line(out, "%8s %14s %14s %14s", "bytes", "unpinned [us]", "pinned [us]", "absent [us]");
    for (int bytes : SIZES) {
      line(out, "%8d %14.2f %14.2f %14.2f", bytes, NetVmExperiment.writeLatencyNs(profile, bytes, true, seed) / 1e3,
          NetVmExperiment.pinnedLatencyNs(profile, bytes, seed) / 1e3, NetVmExperiment.writeLatencyNs(profile, bytes, false, seed) / 1e3);
    }
    for (Detection detection : Detection.values()) {
      line(out, "notification adds %8.2f us by %s", NetVmExperiment.notificationNs(profile, detection, seed) / 1e3,
          detection.name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }
  }

  private void bandwidth(PrintWriter out, HardwareProfile profile) {
    line(out, "%8s %14s", "bytes", "MB/s");
    for (int bytes : SIZES) {
      line(out, "%8d %14.2f", bytes, NetVmExperiment.bandwidth(profile, bytes, MESSAGES, seed) / 1e6);
    }
  }

  private static void pinning(PrintWriter out, HardwareProfile profile) {
    line(out, "%8s %20s", "hits [%]", "dynamic [us/use]");
    for (double rate : HIT_RATES) {
      line(out, "%8.1f %20.2f", rate * 100, NetVmExperiment.dynamicPinningNs(profile, rate) / 1e3);
    }
    line(out, "unpinned: %.2f us for each use; dynamic pinning costs less from %.1f %% hits on", profile.adapter().translateNs() / 1e3,
        NetVmExperiment.pinningBreakEven(profile) * 100);
  }
}
