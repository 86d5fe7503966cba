package dev.weft.lab.scale;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.RealTimeExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What it costs this machine to simulate 1,000 hosts that exchange a million messages, against 10 and 100 (issue 3). */
public final class ScaleRealExperiment implements RealTimeExperiment {
  private static final String PROFILE = "modern";
  private static final double RATIO_MAX = 1.5;
  private static final double EVENTS_PER_SECOND_MIN = 300_000;
  /**
   * The collector runs seldom, no page is used for the first time, and large pages and small objects make more of the caches: what remains
   * is the price of events.
   */
  private static final List<String> HEAP = List.of("-Xms1g", "-Xmn640m", "-Xmx6g", "-XX:+UseSerialGC", "-XX:-UsePerfData",
      "-XX:+AlwaysPreTouch", "-XX:+UseCompactObjectHeaders", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+UseTransparentHugePages");
  private static final double KIB = 1024;

  /** Measures all sizes; in a JVM of its own but for tests. */
  interface Measuring {
    List<ScaleCost> measure(String profile, Setting setting);
  }

  private final Measuring measuring;

  public ScaleRealExperiment() {
    this(ScaleRealExperiment::inOwnJvm);
  }

  ScaleRealExperiment(Measuring measuring) {
    this.measuring = measuring;
  }

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public String title() {
    return "simulated clusters of 10, 100 and --hosts hosts: time of one core by event, memory by host";
  }

  @Override
  public boolean isSized() {
    return true;
  }

  @Override
  public Findings run(Setting setting) {
    List<ScaleCost> costs = measuring.measure(PROFILE, setting);
    ScaleCost small = costs.getFirst();
    ScaleCost large = costs.getLast();
    Findings findings = new Findings().table(table(costs));
    for (ScaleCost cost : costs) {
      findings.check(cost.hosts() + " hosts: at least 300 k events in a second of one core",
          cost.eventsPerSecond() >= EVENTS_PER_SECOND_MIN, Math.round(cost.eventsPerSecond() / 1e3) + " k");
    }
    if (costs.size() > 1) {
      double ratio = large.nsPerEvent() / small.nsPerEvent();
      findings.check("cost by event at most " + RATIO_MAX + " times from " + small.hosts() + " hosts to " + large.hosts(),
          ratio <= RATIO_MAX, "ratio " + Comparison.number(ratio));
    }
    return findings
        .note("each host: profile " + PROFILE + ", " + Math.min(large.hosts() - 1, ScaleExperiment.PEERS)
            + " reliable connections, one datagram queue pair for all others; half of the messages each; every message arrived once with"
            + " its bytes, those of a connection in order; seed " + setting.seed())
        .note("time is processor time of the one thread that simulates, and the collector's, because other programs may share the machine;"
            + " building and connecting the hosts is not in it")
        .note("KB/host is what is reachable in the heap after a collection; registered memory is outside the heap");
  }

  private static Table table(List<ScaleCost> costs) {
    List<List<Object>> lines = new ArrayList<>();
    for (ScaleCost cost : costs) {
      lines.add(List.of((double) cost.hosts(), (double) cost.switches(), cost.messages(), cost.virtualNs() / 1e6, cost.events(),
          cost.wallNs() / 1e9, cost.cpuNs() / 1e9, (double) Math.round(cost.eventsPerSecond() / 1e3), cost.nsPerEvent(),
          cost.buildNs() / 1e9, cost.heapBytesPerHost() / KIB, cost.nativeBytesPerHost() / KIB, cost.traceHash()));
    }
    return new Table("simulated clusters, half reliable connections, half datagrams",
        List.of("hosts", "switches", "messages", "virtual ms", "events", "wall s", "cpu s", "k events/cpu s", "ns/event", "build cpu s",
            "heap KB/host", "registered KB/host", "trace"), lines);
  }

  private static List<ScaleCost> inOwnJvm(String profile, Setting setting) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(flag -> flag.startsWith("--")).forEach(command::add);
    command.addAll(HEAP);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), ScaleMain.class.getName(), profile,
        Long.toString(setting.seed()), Integer.toString(setting.size().hosts()), Long.toString(setting.size().messages())));
    try {
      Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      Thread end = new Thread(process::destroy, "weft-scale-stop");
      Runtime.getRuntime().addShutdownHook(end);
      try (InputStream out = process.getInputStream()) {
        byte[] answer = out.readAllBytes();
        if (process.waitFor() != 0) {
          throw new CommandFailure("the JVM that measures ended with exit code " + process.exitValue() + "; its output is above");
        }
        return new ObjectMapper().readValue(answer, new TypeReference<List<ScaleCost>>() {});
      } finally {
        Runtime.getRuntime().removeShutdownHook(end);
        process.destroy();
      }
    } catch (IOException e) {
      throw new CommandFailure("the JVM that measures could not be started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while measuring", e);
    }
  }
}
