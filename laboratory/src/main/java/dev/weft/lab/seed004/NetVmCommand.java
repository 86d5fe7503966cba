package dev.weft.lab.seed004;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed004.NetVmExperiment.Detection;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.IdleOptions;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft netvm}. */
@Command(
    name = "netvm",
    description = {"Measures unpinned memory, the cost of pinning, and locks made of atomics.",
        "Without --jvms 2, it uses a hardware profile in virtual time: the same seed gives the same numbers on every machine.",
        "With --jvms 2, it measures this machine between two JVMs, the two sides of each comparison in turn."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft netvm latency                    writes to present and to absent pages",
        "  ./weft netvm bandwidth",
        "  ./weft netvm pinning                    translation against registration",
        "  ./weft netvm locks",
        "  ./weft netvm faults --jvms 2            operations on absent pages"})
public final class NetVmCommand implements Callable<Integer> {
  /** What is measured. */
  enum What { LATENCY, BANDWIDTH, PINNING, LOCKS, FAULTS }

  private static final int[] SIZES = {4, 64, 1024, 4096, 16_384, 65_536};
  private static final int MESSAGES = 16;
  private static final double[] HIT_RATES = {0, 0.5, 0.8, 0.9, 0.945, 0.99};

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "WHAT", description = "latency, bandwidth, pinning, locks or faults")
  private What what;

  @Option(names = "--profile", paramLabel = "NAME", defaultValue = "lanai9", description = "hardware profile (default: ${DEFAULT-VALUE})")
  private String profileName;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "seed of the runs (default: ${DEFAULT-VALUE})")
  private long seed;

  @Option(names = "--jvms", paramLabel = "1|2", defaultValue = "1",
      description = "1: virtual time; 2: this machine, the far node in another JVM (default: ${DEFAULT-VALUE})")
  private int jvms;

  @Option(names = {"-n", "--iterations"}, paramLabel = "N",
      description = "with --jvms 2, not for bandwidth: latency, pinning: writes of each kind (default: 20000); locks: hand-overs (20000); "
          + "faults: operations on absent pages (100000)")
  private Integer operations;

  @Option(names = "--rate", paramLabel = "N", defaultValue = "2000",
      description = "faults: operations on absent pages to start each second, 0 for as many as possible (default: ${DEFAULT-VALUE})")
  private int rate;

  @Option(names = "--json", description = "with --jvms 2: one JSON object instead of the table")
  private boolean json;

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    check();
    if (jvms == 2) {
      NetVmRealRun.run(what, operations, rate, seed, json, out);
      return ExitCode.OK;
    }
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
      case FAULTS -> throw new IllegalStateException("checked above");
    }
    out.flush();
    return ExitCode.OK;
  }

  private void check() {
    require(jvms == 1 || jvms == 2, "--jvms is " + jvms + ", must be 1 or 2");
    require(jvms == 2 || what != What.FAULTS, "faults are measured on this machine only; add --jvms 2");
    refuseIdle();
    require(rate >= 0 && rate <= 10_000_000, "--rate is " + rate + ", must be from 0 to 10000000");
    require(operations == null || (operations >= 100 && operations <= 10_000_000), "-n is " + operations + ", must be from 100 to 10000000");
  }

  private void refuseIdle() {
    if (what != What.FAULTS) {
      IdleOptions.refuse(spec, "on " + name() + "; it says how often 'netvm faults' meets absent pages", "--rate");
    }
    if (jvms == 1) {
      IdleOptions.refuse(spec, "in virtual time; add --jvms 2", "--iterations", "--json");
      if (what == What.PINNING) {
        IdleOptions.refuse(spec, "on pinning in virtual time, which is computed from the profile", "--seed");
      }
      return;
    }
    IdleOptions.refuse(spec, "on this machine; it is for virtual time, which is without --jvms 2", "--profile");
    if (what == What.BANDWIDTH) {
      IdleOptions.refuse(spec, "on bandwidth, which is measured for a fixed time", "--iterations");
    }
    if (what != What.FAULTS) {
      IdleOptions.refuse(spec, "on " + name() + " on this machine; only faults draws its pages from it", "--seed");
    }
  }

  private String name() {
    return what.name().toLowerCase(Locale.ROOT);
  }

  private void require(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
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
